// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The work that kernels declare beside what the counters of the device see of it.
#include "core/error.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/core/counters.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"
#include "kernels/machines.hpp"
#include "support/catch.hpp"

#include <cstdio>
#include <functional>
#include <optional>

using namespace hpclab;
using namespace hpclab::roofline::ceilings;

namespace {

/// Counts `work` on device 0; nullopt after saying why this machine or user cannot count.
std::optional<cuda::CounterValues> counted(const char* metric_set,
                                           const std::function<void()>& work) {
  try {
    const cuda::CounterState state = cuda::query_counter_state();
    if (state.condition != cuda::CounterCondition::available) {
      throw NotAvailable(state.reason, state.mend);
    }
    const auto counters = cuda::load_counters();
    return counters
        ->configure(counters->chip_of_device(0), cuda::find_metric_set(metric_set).metrics)
        ->count(work);
  } catch (const NotAvailable& missing) {
    std::printf("counters skipped: %s\n", missing.what());
    return std::nullopt;
  }
}

void print_beside(const char* what, double declared, double count, const char* unit) {
  std::printf("counters: %s: declared %.6g %s, counted %.6g %s, ratio %.4f\n", what, declared, unit,
              count, unit, count / declared);
}

}  // namespace

TEST_CASE("counters: does a copy far beyond the L2 cache move the bytes that it declares?") {
  const auto runtime = test::machines().front()();
  constexpr std::uint64_t vectors = (std::uint64_t{1} << 30) / sizeof(Words4);  // 1 GiB an array
  cuda::Buffer<Words4> in(*runtime, vectors);
  cuda::Buffer<Words4> out(*runtime, vectors);
  const WordStream write{.out = in.data(), .vectors = vectors, .seed = 1};
  launch(*runtime, kernels::stream(StreamKind::write, 4), {{4096}, {256}}, write);
  const WordStream copy{.in = in.data(), .out = out.data(), .vectors = vectors};
  const auto counts = counted("dram", [&] {
    launch(*runtime, kernels::stream(StreamKind::copy, 4), {{4096}, {256}}, copy);
    runtime->synchronize(nullptr);
  });
  if (!counts) return;
  const cuda::KernelWork work = work::stream(StreamKind::copy, copy);
  const double declared = work.read_bytes + work.write_bytes;
  print_beside("device memory of a copy", declared, cuda::dram_bytes_of(*counts), "bytes");
  CHECK(cuda::dram_bytes_of(*counts) == Approx(declared).epsilon(0.05));
}

TEST_CASE("counters: do chains of multiply-adds execute the operations that they declare?") {
  const auto runtime = test::machines().front()();
  constexpr unsigned blocks = 264;
  constexpr unsigned threads = 256;
  cuda::Buffer<double> out(*runtime, std::uint64_t{blocks} * threads);
  const FmaChains chains{.out = out.data(), .loops = 100};
  const auto counts = counted("flops", [&] {
    launch(*runtime, kernels::fma(Precision::fp64), {{blocks}, {threads}}, chains);
    runtime->synchronize(nullptr);
  });
  if (!counts) return;
  const double declared = work::fma(Precision::fp64, chains, blocks * threads).flops;
  print_beside("operations of fp64 chains", declared, cuda::flops_of(*counts), "flop");
  // The sum over the chains, which each thread makes once, is not declared.
  CHECK(cuda::flops_of(*counts) == Approx(declared).epsilon(0.01));
}
