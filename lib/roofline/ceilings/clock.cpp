// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/clock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <x86intrin.h>

namespace hpclab::roofline::ceilings {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// 64 dependent adds and two loop instructions a trip; the latter are off the critical chain. In
// assembly, because a compiler folds a chain of adds, and with a register operand, because cores
// from 2021 on (Alder Lake, Zen 5) resolve adds of small constants at rename, several a cycle.
void dependent_adds(std::uint64_t trips) {
  std::uint64_t value = trips;
  const std::uint64_t step = trips | 1;
  asm volatile(
      ".p2align 5\n"
      "1:\n"
      ".rept 64\n"
      "addq %[step], %[value]\n"
      ".endr\n"
      "decq %[trips]\n"
      "jnz 1b\n"
      : [value] "+r"(value), [trips] "+r"(trips)
      : [step] "r"(step)
      : "cc");
}

constexpr double adds_per_trip = 64;

}  // namespace

double measure_clock_hz(double sample_s, int samples) {
  // A guess of 4 GHz only sets the length of a sample.
  const auto trips = static_cast<std::uint64_t>(std::max(1.0, sample_s * 4e9 / adds_per_trip));
  dependent_adds(trips);
  double best_hz = 0;
  for (int sample = 0; sample < std::max(1, samples); ++sample) {
    const auto start = Clock::now();
    dependent_adds(trips);
    best_hz = std::max(best_hz, static_cast<double>(trips) * adds_per_trip / seconds_since(start));
  }
  return best_hz;
}

double measure_time_stamp_hz(double sample_s) {
  unsigned core = 0;
  const auto start = Clock::now();
  const std::uint64_t first = __rdtscp(&core);
  while (seconds_since(start) < sample_s) {
  }
  const double elapsed_s = seconds_since(start);
  const std::uint64_t last = __rdtscp(&core);
  return static_cast<double>(last - first) / elapsed_s;
}

}  // namespace hpclab::roofline::ceilings
