// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Time for measurements. The clock is CLOCK_MONOTONIC_RAW: it never jumps and is not slewed by NTP
// (which may stretch CLOCK_MONOTONIC by up to 500 ppm). A call costs tens of nanoseconds through
// the vDSO; its step is 1 ns in the interface, in practice the read cost, which
// clock_resolution_s() observes.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace hpclab {

/// Nanoseconds on the machine's monotonic clock; comparable between processes of one boot.
std::int64_t now_ns();

/// Seconds since this process first asked, so that a double keeps nanoseconds (2^53 ns are 104
/// days).
double now_s();

/// CPU time of the calling thread in seconds; stands still while the thread sleeps or is preempted.
double thread_cpu_s();

/// Smallest step between two different readings of the clock, observed over a few hundred calls.
double clock_resolution_s();

/// The time stamp counter of the CPU, for intervals of a few nanoseconds. It is used only where it
/// ticks at a constant rate in all power states (CPUID 8000'0007h EDX bit 8); elsewhere ticks are
/// those of now_ns().
class TickClock {
 public:
  /// Calibrates against now_ns() for about `calibration_s`; the rate is then good to roughly 100 ns
  /// over that.
  explicit TickClock(double calibration_s = 0.01);

  /// Not ordered against neighbouring instructions: fence where a few nanoseconds matter.
  std::uint64_t ticks() const {
#if defined(__x86_64__)
    if (counter_is_invariant_) return __rdtsc();
#endif
    return static_cast<std::uint64_t>(now_ns());
  }
  double seconds(std::uint64_t from, std::uint64_t to) const {
    return static_cast<double>(to - from) * seconds_per_tick_;
  }
  double ticks_per_s() const {
    return 1.0 / seconds_per_tick_;
  }
  bool counter_is_invariant() const {
    return counter_is_invariant_;
  }

 private:
  bool counter_is_invariant_ = false;
  double seconds_per_tick_ = 1e-9;
};

}  // namespace hpclab
