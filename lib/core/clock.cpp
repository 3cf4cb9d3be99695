// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/clock.hpp"

#include <algorithm>
#include <limits>

#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hpclab {
namespace {

std::int64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool has_invariant_counter() {
#if defined(__x86_64__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8)) != 0;
#else
  return false;
#endif
}

}  // namespace

std::int64_t now_ns() {
  return read_ns(CLOCK_MONOTONIC_RAW);
}

double now_s() {
  static const std::int64_t origin_ns = now_ns();
  return static_cast<double>(now_ns() - origin_ns) * 1e-9;
}

double thread_cpu_s() {
  return static_cast<double>(read_ns(CLOCK_THREAD_CPUTIME_ID)) * 1e-9;
}

double clock_resolution_s() {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 300; ++i) {
    const std::int64_t before = now_ns();
    std::int64_t after = now_ns();
    while (after == before) after = now_ns();
    smallest = std::min(smallest, after - before);
  }
  return static_cast<double>(smallest) * 1e-9;
}

TickClock::TickClock(double calibration_s) : counter_is_invariant_(has_invariant_counter()) {
  if (!counter_is_invariant_) return;
  const std::int64_t begin_ns = now_ns();
  const std::uint64_t begin_ticks = ticks();
  const auto wanted_ns = static_cast<std::int64_t>(std::max(1e-4, calibration_s) * 1e9);
  std::int64_t end_ns = begin_ns;
  while (end_ns - begin_ns < wanted_ns) end_ns = now_ns();
  const std::uint64_t end_ticks = ticks();
  seconds_per_tick_ =
      static_cast<double>(end_ns - begin_ns) * 1e-9 / static_cast<double>(end_ticks - begin_ticks);
}

}  // namespace hpclab
