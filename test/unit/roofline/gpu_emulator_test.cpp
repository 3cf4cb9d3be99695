// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/context.hpp"
#include "core/error.hpp"
#include "core/study.hpp"
#include "roofline/ceilings/gpu_verify.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/ceilings/measure_gpu.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

#include <functional>
#include <set>

#include <nlohmann/json.hpp>

namespace hpclab::roofline::ceilings {
Study study();
}

using namespace hpclab;
using namespace hpclab::roofline::ceilings;
using hpclab::test::contains;

namespace {

const std::vector<std::uint64_t> seeds{0, 1, 2, 77};

// What an emulator record may say: that results were compared, never how long anything took.
void check_untimed(const Result& result) {
  const std::set<std::string> allowed{"mismatch_count", "compared_count", "max_error_ratio"};
  for (const auto& [name, value] : result.values().items()) {
    INFO(name);
    CHECK(allowed.contains(name));
  }
  CHECK(result.value("mismatch_count") == 0.0);
  CHECK(*result.value("compared_count") > 0);
  CHECK(result.samples().empty());
  CHECK(result.work().empty());
  CHECK(result.text()["bound"] == "emulator: verified, not timed");
}

void check_all_seeds(const Parameters& p) {
  for (const std::uint64_t seed : seeds) {
    INFO("seed " << seed);
    Context context;
    context.seed = seed;
    check_untimed(measure(p, Backend::emulator, context));
  }
}

std::string skip_reason(const Parameters& p, Backend backend = Backend::emulator) {
  Context context;
  try {
    measure(p, backend, context);
  } catch (const CaseSkipped& skipped) {
    return skipped.what();
  } catch (const NotAvailable& missing) {
    return missing.what();
  }
  return "";
}

}  // namespace

TEST_CASE("gpu ceilings: are all streams verified in the emulator, without a time?") {
  for (const char* kind : {"read", "write", "copy", "triad"}) {
    Parameters p;
    p.kind = kind;
    INFO(kind);
    check_all_seeds(p);
  }
  Parameters mix;
  mix.kind = "mix";
  for (const double fraction : {0.125, 0.5, 0.875}) {
    mix.read_fraction = fraction;
    check_all_seeds(mix);
  }
}

TEST_CASE("gpu ceilings: are loads from shared memory verified for every conflict?") {
  Parameters p;
  p.level = MemoryLevel::shared;
  for (const std::int64_t ways : {1, 2, 4, 8, 16, 32}) {
    p.conflict = ways;
    check_all_seeds(p);
  }
  p.conflict = 3;
  Context context;
  CHECK_THROWS_AS(measure(p, Backend::emulator, context), CaseFailed);
}

TEST_CASE("gpu ceilings: are multiply-adds verified in all vector types?") {
  Parameters p;
  p.quantity = Quantity::flops;
  for (const PeakPrecision precision :
       {PeakPrecision::fp64, PeakPrecision::fp32, PeakPrecision::fp16, PeakPrecision::bf16}) {
    p.precision = precision;
    check_all_seeds(p);
  }
}

TEST_CASE("gpu ceilings: are chases, launches and links verified?") {
  Parameters p;
  p.quantity = Quantity::latency;
  for (const std::int64_t chains : {1, 2, 4, 8}) {
    p.chains = chains;
    check_all_seeds(p);
  }
  p.quantity = Quantity::concurrency;
  check_all_seeds(p);
  p.quantity = Quantity::launch;
  for (const LaunchBy by : {LaunchBy::stream, LaunchBy::graph}) {
    p.launch_by = by;
    check_all_seeds(p);
  }
  p.quantity = Quantity::link;
  for (const HostMemory memory : {HostMemory::pinned, HostMemory::pageable}) {
    p.host_memory = memory;
    check_all_seeds(p);
  }
}

TEST_CASE("gpu ceilings: is what a GPU or the emulator does not have skipped with its reason?") {
  Parameters p;
  p.quantity = Quantity::flops;
  p.unit = MultiplyUnit::tensor;
  CHECK(contains(skip_reason(p), "tensor cores exist on the device only"));
  p.unit = MultiplyUnit::vector;
  p.precision = PeakPrecision::tf32;
  CHECK(contains(skip_reason(p), "unit=tensor"));
  p = {};
  p.kind = "update";
  CHECK(contains(skip_reason(p), "processors only"));
  p = {};
  p.level = MemoryLevel::l3;
  CHECK(contains(skip_reason(p), "no kernel measures l3"));
  p.quantity = Quantity::latency;
  p.level = MemoryLevel::shared;
  CHECK(contains(skip_reason(p), "no kernel measures shared"));
  p.level = MemoryLevel::dram;
  p.chains = 3;
  CHECK(contains(skip_reason(p), "1, 2, 4 or 8 chains"));
  p.quantity = Quantity::clock;
  CHECK(contains(skip_reason(p), "no clock"));
  p.quantity = Quantity::levels;
  CHECK(contains(skip_reason(p), "processors only"));
}

TEST_CASE("cpu ceilings: are a GPU's quantities and its shared memory skipped with the reason?") {
  Parameters p;
  p.level = MemoryLevel::shared;
  CHECK(contains(skip_reason(p, Backend::cpu), "no shared memory"));
  p = {};
  p.quantity = Quantity::link;
  CHECK(contains(skip_reason(p, Backend::cpu), "backend cuda"));
}

TEST_CASE("gpu ceilings: does a verification with one difference, or of nothing, fail?") {
  Verification wrong;
  wrong.compare(true);
  wrong.compare(false);
  CHECK_THROWS_AS(wrong.require("test"), CaseFailed);
  CHECK_THROWS_AS(Verification{}.require("nothing"), CaseFailed);
  Verification close;
  close.compare_close(1 + 0x1p-52, 1);
  CHECK(close.mismatches == 0);
  CHECK(close.max_error_ratio == 0x1p-52);
  close.compare_close(1 + 0x1p-40, 1);
  CHECK(close.mismatches == 1);
}
