// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/fusion/measure.hpp"

#include "core/context.hpp"
#include "core/error.hpp"
#include "core/study.hpp"
#include "machine/cpu_features.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/fusion/execution.hpp"
#include "roofline/fusion/steps.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab::roofline::fusion {
Study study();
}

using namespace hpclab;
using namespace hpclab::roofline::fusion;
namespace ceilings = hpclab::roofline::ceilings;

namespace {

std::vector<std::string> runnable() {
  std::vector<std::string> sets;
  if (machine::can_run_avx2()) sets.push_back("avx2");
  if (machine::can_run_avx512()) sets.push_back("avx512");
  return sets;
}

template <class T>
void check_all_cuts(Parameters p) {
  machine::ThreadTeam team(ceilings::host_topology(), static_cast<int>(p.threads));
  const Context context;
  ChainArrays<T> arrays(p, team, context);
  for (const int group : {1, 2, 3, 64}) {
    INFO(p.isa << ", " << p.elements << " elements, groups of " << group);
    const auto whole = arrays.check(group, 0);
    CHECK(whole.compared > 0);
    CHECK(whole.mismatches == 0);
    if (p.block > 0) CHECK(arrays.check(group, static_cast<std::size_t>(p.block)).mismatches == 0);
  }
}

Context quick() {
  Context context;
  context.sampler.stopping_rule = "count:2";
  return context;
}

}  // namespace

TEST_CASE("fusion: is every element equal to the reference however the chain is cut?") {
  const auto cores = static_cast<std::int64_t>(ceilings::host_topology().cores);
  for (const std::string& isa : runnable()) {
    for (const Stores stores : {Stores::plain, Stores::nontemporal}) {
      for (const std::int64_t elements : {1, 999, 20'011}) {
        Parameters p;
        p.operations = 5;
        p.inputs = Inputs::mixed;
        p.operand_arrays = elements == 999 ? 0 : 2;
        p.elements = elements;
        p.block = 300;
        p.isa = isa;
        p.stores = stores;
        p.threads = elements == 999 ? 1 : cores;
        check_all_cuts<double>(p);
        check_all_cuts<float>(p);
      }
    }
  }
}

TEST_CASE("fusion: is a step seen that is left out, swapped or off by a trillionth?") {
  // Else equality to the last bit would prove little: chains that forget their beginning would
  // pass.
  const ChainShape shape{most_operations, Inputs::mixed, 1, 1};
  const auto right = make_steps<double>(shape, RandomStream(1, "steps"));
  std::vector<double> in, other;
  for (int i = 0; i < 200; ++i) {
    in.push_back(1 + i / 200.0);
    other.push_back(2 - i / 300.0);
  }
  const double* operands[] = {in.data(), other.data()};
  const auto changed = [&](const std::vector<Step<double>>& steps) {
    int differ = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double x = reference<double>(steps, operands, i);
      CHECK(std::isfinite(x));
      differ += x != reference<double>(right, operands, i);
    }
    return differ;
  };
  CHECK(changed(right) == 0);
  for (const std::size_t at : {0u, 1u, 63u, 126u}) {
    INFO("step " << at);
    auto steps = right;
    steps[at].scale *= 1 + 1e-12;
    CHECK(changed(steps) > 190);
    steps = right;
    std::swap(steps[at], steps[at + 1]);
    CHECK(changed(steps) > 190);
    steps = right;
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(at));
    CHECK(changed(steps) > 190);
  }
}

TEST_CASE("fusion: does a measurement carry its copy ceiling, its speed-up and what bound it?") {
  if (runnable().empty()) return;
  Parameters p;
  p.operations = 3;
  p.elements = 30'000;
  p.isa = runnable().back();
  p.threads = 1;
  p.stores = Stores::plain;
  Context context = quick();
  const Result fused = measure(p, Backend::cpu, context);
  CHECK(*fused.value("time_s") > 0);
  CHECK(*fused.value("copy_bytes_per_s") > 0);
  CHECK(*fused.value("fraction_of_copy_ratio") > 0);
  CHECK(*fused.value("speedup_ratio") > 0);
  CHECK(fused.value("launches_count") == 1.0);
  CHECK(fused.work()["flops"] == 2.0 * 3 * 30'000);
  CHECK(fused.work()["moved_bytes"] == 2.0 * 8 * 30'000);
  p.fusion = Fusion::unfused;
  const Result unfused = measure(p, Backend::cpu, context);
  CHECK(unfused.value("speedup_ratio") == 1.0);
  CHECK(unfused.value("launches_count") == 3.0);
  CHECK(unfused.work()["moved_bytes"] == 6.0 * 8 * 30'000);
}

TEST_CASE("fusion: are impossible cases refused with the reason?") {
  Context context = quick();
  Parameters p;
  p.isa = "avx2";
  p.threads = 4096;
  CHECK_THROWS_AS(measure(p, Backend::cpu, context), CaseFailed);
  p.threads = 1;
  p.elements = 1'000'000'000'000;
  if (machine::can_run_avx2()) CHECK_THROWS_AS(measure(p, Backend::cpu, context), CaseFailed);
  p.isa = "scalar";
  CHECK_THROWS_AS(measure(p, Backend::cpu, context), CaseSkipped);
}

TEST_CASE("fusion: does the estimate say the bytes before anything is allocated?") {
  const Study s = study();
  const Json parameters{{"operations", 8}, {"elements", 1'000'000}, {"threads", 2}};
  CHECK(s.estimate(parameters, Method::measure).bytes == 3 * 8e6);
  CHECK(s.estimate(parameters, Method::model).bytes == 0);
}

TEST_CASE("fusion: does the emulator verify every cut without a time?") {
  for (const std::uint64_t seed : {0, 1, 77}) {
    for (const Fusion fusion : {Fusion::unfused, Fusion::partly, Fusion::fused}) {
      Parameters p;
      p.operations = 5;
      p.inputs = Inputs::mixed;
      p.operand_arrays = 1;
      p.fusion = fusion;
      p.group = 2;
      p.precision = seed == 1 ? Precision::fp32 : Precision::fp64;
      Context context;
      context.seed = seed;
      const Result result = measure(p, Backend::emulator, context);
      CHECK(*result.value("compared_count") > 0);
      CHECK(result.value("mismatch_count") == 0.0);
      CHECK_FALSE(result.value("time_s").has_value());
    }
  }
}
