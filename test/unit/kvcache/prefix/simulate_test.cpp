// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "formats/table_reader.hpp"
#include "kvcache/prefix/parameters.hpp"
#include "support/catch.hpp"
#include "support/fixture_root.hpp"
#include "support/outside_data.hpp"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::kvcache;
using namespace hpclab::kvcache::prefix;

namespace {

Result run(const Parameters& p) {
  Context context;
  return simulate(p, context);
}

Parameters on_file(const std::filesystem::path& path) {
  Parameters p;
  p.source = requests::Origin::file;
  p.requests = path;
  return p;
}

// Hash lists without the last ones: blocks 1 to 3 are asked for three times, 4 twice.
const char* const three_lines =
    R"({"timestamp": 0, "input_length": 1536, "output_length": 1, "hash_ids": [1, 2, 3]}
{"timestamp": 1000, "input_length": 2048, "output_length": 1, "hash_ids": [1, 2, 3, 4]}
{"timestamp": 900000, "input_length": 1800, "output_length": 1, "hash_ids": [1, 2, 3, 5]}
)";

}  // namespace

TEST_CASE("kvcache prefix: does it give every row of the hand-over table within 0.0002?") {
  const auto table_file = test::outside_data("kvcache/mooncake_hit_handover.csv");
  if (!table_file) return;
  const std::map<std::string, Policy> policies{{"any", Policy::lru},
                                               {"LRU", Policy::lru},
                                               {"LFU", Policy::lfu},
                                               {"FIFO", Policy::fifo},
                                               {"OPT_block", Policy::opt}};
  formats::LineReader lines(*table_file);
  formats::TableReader table(lines);
  int rows = 0;
  for (; table.next(); ++rows) {
    const std::string trace(table.text(0));
    Parameters p = on_file(table_file->parent_path() / ("mooncake_" + trace + "_trace.jsonl.gz"));
    p.policy = policies.at(std::string(table.text(2)));
    p.capacity_blocks = table.text(1) == "inf" ? 0 : table.integer(1);
    INFO(trace << " " << table.text(1) << " " << table.text(2));
    CHECK(run(p).value("hit_block_ratio").value() == Catch::Approx(table.number(3)).margin(0.0002));
  }
  CHECK(rows == 13);
}

TEST_CASE("kvcache prefix: are token and request-mean ratios those computed independently?") {
  // 36.6 / 37.4 / 38.4 % and 64.0 / 65.1 / 42.3 %; full blocks only 38.2 and 65.9 %: computed by a
  // separate program on the same traces.
  struct Expected {
    const char* trace;
    double token, request_mean, full_blocks;
  };
  for (const auto& [trace, token, request_mean, full_blocks] :
       {Expected{"conversation", 0.374, 0.384, 0.382},
        Expected{"synthetic", 0.651, 0.423, 0.659}}) {
    const auto file = test::outside_data(fmt::format("kvcache/mooncake_{}_trace.jsonl.gz", trace));
    if (!file) return;
    Parameters p = on_file(*file);
    const Result recorded = run(p);
    CHECK(recorded.value("hit_token_ratio").value() == Catch::Approx(token).margin(0.0005));
    CHECK(recorded.value("hit_request_mean_ratio").value() ==
          Catch::Approx(request_mean).margin(0.0005));
    // All full blocks that are found count here, also where the last token is computed again.
    p.semantics = Semantics::block_hash;
    CHECK(run(p).value("hit_block_ratio").value() == Catch::Approx(full_blocks).margin(0.0005));
  }
}

TEST_CASE("kvcache prefix: does a cache of 3 M tokens reach the published share of the maximum?") {
  // Qin et al., FAST 2025, figure 9: 46 % on the synthetic trace.
  const auto file = test::outside_data("kvcache/mooncake_synthetic_trace.jsonl.gz");
  if (!file) return;
  Parameters p = on_file(*file);
  p.capacity_blocks = 3'000'000 / 512;
  CHECK(run(p).value("fraction_of_maximum_ratio").value() == Catch::Approx(0.46).margin(0.04));
}

TEST_CASE(
    "kvcache prefix: are hits, tokens and means of three short requests as counted by hand?") {
  test::FixtureRoot folder;
  folder.file("t.jsonl", three_lines);
  Parameters p = on_file(folder.path() / "t.jsonl");
  const Result result = run(p);
  CHECK(result.value("hit_block_ratio").value() == Catch::Approx(6. / 11));
  CHECK(result.value("hit_token_ratio").value() == Catch::Approx(3072. / (1536 + 2048 + 1800)));
  CHECK(result.value("hit_request_mean_ratio").value() == Catch::Approx((0 + 0.75 + 0.75) / 3));
  CHECK(result.value("distinct_blocks").value() == 5);

  p.policy = Policy::ttl;  // the third comes 899 s after the second
  p.ttl_s = 300;
  CHECK(run(p).value("hit_block_ratio").value() == Catch::Approx(3. / 11));
  p.ttl_s = 899;
  CHECK(run(p).value("hit_block_ratio").value() == Catch::Approx(6. / 11));
}

TEST_CASE("kvcache prefix: does every policy reach the same hits without a limit?") {
  Parameters p;
  p.sessions = 60;
  const double all = run(p).value("hit_block_ratio").value();
  CHECK(all > 0.1);
  for (const Policy policy : {Policy::lfu, Policy::fifo, Policy::opt}) {
    p.policy = policy;
    CHECK(run(p).value("hit_block_ratio").value() == Catch::Approx(all).epsilon(1e-12));
  }
  p.policy = Policy::lru;
  p.semantics = Semantics::radix;
  CHECK(run(p).value("hit_block_ratio").value() == Catch::Approx(all).epsilon(1e-12));
}

TEST_CASE("kvcache prefix: do the curve and a run of that capacity say the same?") {
  Parameters p;
  p.sessions = 100;
  for (const Policy policy : {Policy::lru, Policy::lfu, Policy::fifo, Policy::opt}) {
    p.policy = policy;
    p.capacity_blocks = 0;
    const Json curve = run(p).tables()["curve"]["rows"];
    double previous = 0;
    for (const Json& row : curve) {
      if (policy == Policy::lru) CHECK(row[1].get<double>() >= previous);
      previous = row[1].get<double>();
      if (row[0] != 200 && row[0] != 1000) continue;
      p.capacity_blocks = row[0].get<std::int64_t>();
      CHECK(run(p).value("hit_block_ratio").value() == Catch::Approx(previous).epsilon(1e-12));
      CHECK(run(p).value("hit_token_ratio").value() ==
            Catch::Approx(row[2].get<double>()).epsilon(1e-12));
    }
  }
}

TEST_CASE("kvcache prefix: with loads that cost nothing, are tiers one large cache?") {
  Parameters p;
  p.sessions = 100;
  p.capacity_blocks = 5000;
  const double large = run(p).value("hit_token_ratio").value();
  p.tiers = Tiers::offload;
  p.capacity_blocks = 500;
  p.cpu_blocks = 1500;
  p.ssd_blocks = 3000;
  p.cpu_bytes_per_s = p.ssd_bytes_per_s = 1e15;
  const Result tiers = run(p);
  CHECK(tiers.value("hit_token_ratio").value() == Catch::Approx(large).epsilon(1e-12));
  CHECK(tiers.value("hit_gpu_ratio").value() + tiers.value("hit_cpu_ratio").value() +
            tiers.value("hit_ssd_ratio").value() ==
        Catch::Approx(large).epsilon(1e-12));
  CHECK(tiers.value("hit_ssd_ratio").value() > 0);

  // Slow tiers are not used where computing is faster, and cost time where they must be.
  p.cpu_bytes_per_s = p.ssd_bytes_per_s = 1e6;
  const Result slow = run(p);
  CHECK(slow.value("hit_cpu_ratio").value() == 0);
  CHECK(slow.value("saved_ratio").value() > 0);
  p.transfer = Transfer::always;
  CHECK(run(p).value("saved_ratio").value() < 0);
}

TEST_CASE(
    "kvcache prefix: are requests that go back in time told, and refused where time counts?") {
  test::FixtureRoot folder;
  std::string text = three_lines;
  text += R"({"timestamp": 2000, "input_length": 512, "output_length": 1, "hash_ids": [1]})";
  folder.file("t.jsonl", text);
  Parameters p = on_file(folder.path() / "t.jsonl");
  const Result result = run(p);
  REQUIRE(result.notes().size() == 1);
  CHECK(result.notes()[0].find("1 request is earlier") == 0);
  p.policy = Policy::ttl;
  CHECK_THROWS_AS(run(p), CaseFailed);
  p.order = requests::Order::time;
  CHECK(run(p).value("hit_block_ratio").value() == Catch::Approx(4. / 12));
}

TEST_CASE("kvcache prefix: does a bound on memory change nothing below it?") {
  Parameters p;
  p.sessions = 300;
  p.capacity_blocks = 1000;
  const double exact = run(p).value("hit_block_ratio").value();
  p.track_blocks = 1500;
  const Result bounded = run(p);
  CHECK(bounded.value("hit_block_ratio").value() == exact);
  CHECK(bounded.notes().size() == 1);
  p.capacity_blocks = 2000;
  CHECK_THROWS_AS(run(p), CaseFailed);
}
