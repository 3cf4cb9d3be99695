// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The multiply-add kernels compute what the same recurrence gives in plain arithmetic, and declare
// what they execute.
#include "core/error.hpp"
#include "roofline/ceilings/clock.hpp"
#include "roofline/ceilings/peak.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <utility>

namespace {

using namespace hpclab;
using namespace hpclab::roofline::ceilings;

// Fixed point of x -> q (p x + c) + c, the value that every lane of the fused multiply-add kernels
// converges to.
constexpr double p = -1.2345, q = -0.8, c = 0.7;
constexpr double fixed_point = c * (1 + q) / (1 - p * q);

TEST_CASE("Do fused multiply-add kernels converge to the recurrence's fixed point in every lane?",
          "[roofline]") {
  for (const InstructionSet instruction_set : all_instruction_sets) {
    for (const PeakPrecision precision :
         {PeakPrecision::fp64, PeakPrecision::fp32, PeakPrecision::fp16}) {
      const PeakKernel* kernel = find_peak_kernel(precision, instruction_set);
      if (kernel == nullptr) {
        WARN("skipped: " << name(precision) << " " << name(instruction_set)
                         << " does not exist or this CPU lacks it");
        continue;
      }
      INFO(name(precision) << " " << name(instruction_set));
      const double lanes = kernel->ops_per_instruction / 2.0 * kernel->accumulators;
      const double tolerance = precision == PeakPrecision::fp64   ? 1e-9
                               : precision == PeakPrecision::fp32 ? 1e-3
                                                                  : 0.5;
      CHECK(kernel->run(20000) == Catch::Approx(lanes * fixed_point).epsilon(tolerance));
    }
  }
}

TEST_CASE(
    "Does one trip of a fused multiply-add kernel equal the recurrence from its start values?",
    "[roofline]") {
  // Scalar starts: 0.1 + 0.03 i for accumulator i.
  const PeakKernel* kernel = find_peak_kernel(PeakPrecision::fp64, InstructionSet::scalar);
  if (kernel == nullptr) {
    WARN("skipped: this CPU lacks FMA");
    return;
  }
  for (const int trips : {0, 1, 2, 7}) {
    double sum = 0;
    for (int i = 0; i < kernel->accumulators; ++i) {
      double x = 0.1 + 0.03 * i;
      for (int trip = 0; trip < trips; ++trip) x = std::fma(std::fma(x, p, c), q, c);
      sum += x;
    }
    CHECK(kernel->run(static_cast<std::size_t>(trips)) == Catch::Approx(sum).epsilon(1e-14));
  }
}

TEST_CASE(
    "Do the dot-product kernels return to their start values, exactly, after any number of trips?",
    "[roofline]") {
  // Every trip adds and subtracts the same product; starts are (i+1)/8 (bf16) and i+1 (int8) in 16
  // lanes.
  for (const auto& [precision, sum] :
       {std::pair{PeakPrecision::bf16, 78.0 / 8 * 16}, std::pair{PeakPrecision::int8, 78.0 * 16}}) {
    const PeakKernel* kernel = find_peak_kernel(precision, InstructionSet::avx512);
    if (kernel == nullptr) {
      WARN("skipped: this CPU lacks " << name(precision) << " dot products");
      continue;
    }
    for (const std::size_t trips : {1, 2, 1001}) CHECK(kernel->run(trips) == sum);
  }
}

TEST_CASE("Do declared operations follow from register width and element size?", "[roofline]") {
  struct Row {
    PeakPrecision precision;
    InstructionSet instruction_set;
    int ops;  // 2 x lanes; dot products: 2 x 512 / bits of an input element
  };
  const Row rows[] = {
      {PeakPrecision::fp64, InstructionSet::scalar, 2},
      {PeakPrecision::fp32, InstructionSet::scalar, 2},
      {PeakPrecision::fp64, InstructionSet::avx2, 8},
      {PeakPrecision::fp32, InstructionSet::avx2, 16},
      {PeakPrecision::fp64, InstructionSet::avx512, 16},
      {PeakPrecision::fp32, InstructionSet::avx512, 32},
      {PeakPrecision::fp16, InstructionSet::avx512, 64},
      {PeakPrecision::bf16, InstructionSet::avx512, 64},
      {PeakPrecision::int8, InstructionSet::avx512, 128},
  };
  for (const Row& row : rows) {
    const PeakKernel* kernel = declared_peak_kernel(row.precision, row.instruction_set);
    REQUIRE(kernel != nullptr);
    CHECK(kernel->ops_per_instruction == row.ops);
    CHECK(kernel->accumulators >= 10);
    CHECK(kernel->instructions % kernel->accumulators == 0);
    CHECK(kernel->ops_per_iteration() == static_cast<double>(row.ops) * kernel->instructions);
  }
  CHECK(declared_peak_kernel(PeakPrecision::int8, InstructionSet::avx2) == nullptr);
  CHECK_THROWS_AS(peak_precision_of("fp128"), hpclab::UsageError);
}

TEST_CASE("Is the measured clock a plausible frequency, and the time stamp counter's as well?",
          "[roofline]") {
  // Wide bounds: emulated or heavily shared machines are slow, none is faster than 10 GHz.
  const double clock_hz = measure_clock_hz(1e-4, 5);
  CHECK(clock_hz > 1e6);
  CHECK(clock_hz < 1e10);
  const double time_stamp_hz = measure_time_stamp_hz(1e-3);
  CHECK(time_stamp_hz > 1e6);
  CHECK(time_stamp_hz < 1e10);
}

}  // namespace
