// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What disturbed a measurement, as the kernel counts it: read before and after, compared in words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab {

/// Counters of this process and machine at one moment.
struct NoiseReading {
  double at_s = 0.0;
  std::optional<double> steal_s;  ///< CPU time taken by the hypervisor, all CPUs; none where hidden
  long long involuntary_switches = 0;  ///< of the calling thread
  long long major_faults = 0;          ///< page faults that needed the disk, of the calling thread
  std::optional<double> clock_hz;
};

/// Reads /proc/stat and getrusage(RUSAGE_THREAD). Never throws; what cannot be read stays empty.
NoiseReading read_noise(std::optional<double> clock_hz);

/// Lines about what changed between two readings: steal above 0.1 % of the time, involuntary
/// context switches, major page faults, a clock that moved by more than 2 %. Empty when quiet.
std::vector<std::string> describe_noise(const NoiseReading& begin, const NoiseReading& end);

/// Steal time in ticks from the text of /proc/stat: eighth number of the line "cpu" (proc(5)); none
/// when absent.
std::optional<long long> steal_ticks(std::string_view proc_stat);

}  // namespace hpclab
