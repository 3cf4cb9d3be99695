// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/noise.hpp"

#include "core/clock.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace hpclab {

std::optional<long long> steal_ticks(std::string_view proc_stat) {
  if (!proc_stat.starts_with("cpu ")) return std::nullopt;
  const char* at = proc_stat.data() + 3;
  const char* const end = at + std::min(proc_stat.find('\n'), proc_stat.size()) - 3;
  long long value = 0;
  for (int field = 1; field <= 8; ++field) {
    while (at < end && *at == ' ') ++at;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return std::nullopt;
    at = next;
  }
  return value;
}

NoiseReading read_noise(std::optional<double> clock_hz) {
  NoiseReading reading;
  reading.at_s = now_s();
  reading.clock_hz = clock_hz;
  const int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    std::array<char, 512> text{};
    const ssize_t size = read(file, text.data(), text.size());
    close(file);
    const auto ticks = steal_ticks({text.data(), static_cast<std::size_t>(size > 0 ? size : 0)});
    const long ticks_per_s = sysconf(_SC_CLK_TCK);
    if (ticks && ticks_per_s > 0) {
      reading.steal_s = static_cast<double>(*ticks) / static_cast<double>(ticks_per_s);
    }
  }
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) == 0) {
    reading.involuntary_switches = usage.ru_nivcsw;
    reading.major_faults = usage.ru_majflt;
  }
  return reading;
}

std::vector<std::string> describe_noise(const NoiseReading& begin, const NoiseReading& end) {
  std::vector<std::string> notes;
  if (begin.steal_s && end.steal_s) {
    const double stolen_s = *end.steal_s - *begin.steal_s;
    const double elapsed_s = end.at_s - begin.at_s;
    if (stolen_s > 0.0 && stolen_s > 1e-3 * elapsed_s) {
      notes.push_back(fmt::format("steal: the hypervisor took {:.3g} s of CPU time within {:.3g} s",
                                  stolen_s, elapsed_s));
    }
  }
  const long long switches = end.involuntary_switches - begin.involuntary_switches;
  if (switches > 0) notes.push_back(fmt::format("{} involuntary context switches", switches));
  const long long faults = end.major_faults - begin.major_faults;
  if (faults > 0) notes.push_back(fmt::format("{} page faults from disk", faults));
  if (begin.clock_hz && end.clock_hz &&
      std::abs(*end.clock_hz - *begin.clock_hz) > 0.02 * *begin.clock_hz) {
    notes.push_back(fmt::format("clock changed from {:.4g} to {:.4g} MHz", *begin.clock_hz * 1e-6,
                                *end.clock_hz * 1e-6));
  }
  return notes;
}

}  // namespace hpclab
