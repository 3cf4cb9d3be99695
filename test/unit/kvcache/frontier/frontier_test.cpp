// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/context.hpp"
#include "core/error.hpp"
#include "kvcache/frontier/measured_rows.hpp"
#include "kvcache/frontier/model.hpp"
#include "kvcache/frontier/step_time.hpp"
#include "support/catch.hpp"
#include "support/mutation.hpp"

#include <cmath>
#include <memory>
#include <string>

using namespace hpclab;
using namespace hpclab::kvcache::frontier;

namespace {

std::string config(const std::string& path) {
  return std::string(HPCLAB_SOURCE_DIR) + "/configs/" + path + ".json";
}

Parameters small_model_on_t4() {
  Parameters p;
  p.model = config("models/qwen2.5-1.5b");
  p.gpu = config("machines/t4");
  p.kv_dtype = "fp16";
  p.context = 490;
  return p;
}

double value(const Parameters& p, const char* name) {
  Context context;
  return *model(p, context).value(name);
}

formats::LineReader lines(const std::string& text) {
  return formats::LineReader(formats::bytes_of(text), "rows.csv");
}

constexpr const char* csv =
    "cfg,isl,osl,conc,median_tpot\n"
    "a,1024,128,4,0.02\n"
    "b,2048,128,8,0.03\n"
    "a,1024,128,8,0.025\n";

}  // namespace

TEST_CASE("frontier: is a small batch as fast as its bytes at the profile's bandwidth?") {
  Parameters p = small_model_on_t4();
  // All weights but nothing else at 320 GB/s; 28 layers x 2 heads x 256 x 2 B a token.
  const double weights = 2.0 * 1543714304;
  p.batch = 1;
  CHECK(value(p, "time_s") == Approx((weights + 490 * 28672) / 320e9).epsilon(1e-3));
  p.batch = 64;
  CHECK(value(p, "time_s") == Approx((weights + 64 * 490 * 28672) / 320e9).epsilon(1e-3));
}

TEST_CASE("frontier: does arithmetic bind beyond the ridge of 2 flops to 2 bytes?") {
  Parameters p = small_model_on_t4();
  CHECK(value(p, "ridge_batch") == Approx(65e12 / 320e9).epsilon(1e-9));
  p.context = 16;
  p.batch = 2000;
  const double flops = 2 * 1543714304.0 * 2000;
  CHECK(value(p, "time_s") >= flops / 65e12);
  CHECK(value(p, "time_s") <= 1.5 * flops / 65e12);
}

TEST_CASE("frontier: does throughput grow and the speed of a request fall with the batch?") {
  Parameters p = small_model_on_t4();
  double before = 0, alone = 1e300;
  for (p.batch = 1; p.batch <= 4096; p.batch *= 2) {
    const double all = value(p, "tokens_per_s");
    const double one = value(p, "request_tokens_per_s");
    CHECK(all >= before * (1 - 1e-12));
    CHECK(one <= alone * (1 + 1e-12));
    before = all;
    alone = one;
  }
}

TEST_CASE("frontier: do requests that memory does not hold wait?") {
  Parameters p = small_model_on_t4();
  const double limit = value(p, "concurrency");
  p.batch = static_cast<std::int64_t>(2 * limit);
  const double beyond = value(p, "tokens_per_s");
  p.batch = static_cast<std::int64_t>(limit);
  CHECK(beyond == Approx(value(p, "tokens_per_s")));
}

TEST_CASE("frontier: does the time named for a gap close it?") {
  const double alone = 0.0097, together = 0.0125;
  const double implied = implied_request_s(alone, together, 64, 27);
  CHECK(64 * (alone + implied) / (together + 64 * implied) == Approx(27).epsilon(1e-12));
  CHECK_THROWS_AS(implied_request_s(alone, together, 64, 60), CaseFailed);
  CHECK_THROWS_AS(implied_request_s(alone, together, 1, 27), CaseFailed);
}

TEST_CASE("frontier: is a model larger than the GPU refused?") {
  Parameters p;
  p.model = config("models/llama-3.1-70b");
  p.gpu = config("machines/l4");
  Context context;
  CHECK_THROWS_WITH(model(p, context), Catch::Contains("smallest tp that fits"));
}

TEST_CASE(
    "frontier: are measured rows read, chosen by configuration, and refused with their line?") {
  CHECK(read_measured_rows(lines(csv), "").size() == 3);
  const auto rows = read_measured_rows(lines(csv), "a");
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].concurrency == 8);
  CHECK(rows[1].tpot_s == 0.025);
  CHECK_THROWS_WITH(read_measured_rows(lines(csv), "c"), Catch::Contains("there are a, b"));
  CHECK_THROWS_WITH(read_measured_rows(lines("isl,osl,conc\n1,1,1\n"), ""),
                    Catch::Contains("median_tpot"));
  CHECK_THROWS_WITH(read_measured_rows(lines("isl,osl,conc,median_tpot\n8,8,0,1\n"), ""),
                    Catch::Contains("rows.csv:2") && Catch::Contains("conc is 0"));
  CHECK_THROWS_WITH(read_measured_rows(lines("isl,osl,conc,median_tpot\n8,8,1,-1\n"), ""),
                    Catch::Contains("rows.csv:2"));
}

TEST_CASE("frontier mutations: is a damaged table of rows read or refused, never more?") {
  test::Mutator mutator(11);
  for (int i = 0; i < test::mutation_count(2000); ++i) {
    try {
      for (const MeasuredRow& row : read_measured_rows(lines(mutator.mutated(csv)), "a")) {
        REQUIRE(std::isfinite(row.tpot_s));
        REQUIRE(row.tpot_s > 0);
        REQUIRE(row.concurrency >= 1);
      }
    } catch (const UsageError&) {
    }
  }
}
