// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Repeats a measurement until its stopping rule holds and keeps what is needed to judge it later.
#pragma once

#include "core/profiler_hook.hpp"
#include "core/statistics.hpp"
#include "core/stop_token.hpp"
#include "core/stopping_rule.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hpclab {

struct SamplerOptions {
  std::string stopping_rule{default_stopping_rule};  ///< grammar in core/stopping_rule.hpp
  std::size_t warm_up_samples = 1;                   ///< run and thrown away, at least so many
  double warm_up_time_s = 0.0;                       ///< and for at least this long
  /// At most so many go into the record: with 17 digits each, 2048 stay below its 64 KiB.
  std::size_t kept_samples = 2048;
  /// Flag samples during which the calling thread was off the CPU. Off for work that sleeps by
  /// nature: waiting for a device, other threads or processes.
  bool watch_thread = true;
  /// Reads the clock rate that governs the measurement, in hertz; empty: not watched. Called before
  /// and after.
  std::function<double()> read_clock_hz;
  /// Open while samples are taken, closed while warming up; empty: no profiler watches.
  ProfilerHook profiler;
  StopToken stop;
};

/// What one measurement gave.
struct SampleSet {
  std::vector<double>
      samples_s;          ///< in the order measured; evenly thinned to SamplerOptions::kept_samples
  std::size_t count = 0;  ///< samples measured; more than samples_s.size() when thinned
  double median_s = 0.0;  ///< of all samples (up to 2^20, of an even thinning beyond)
  std::optional<Interval> interval;     ///< 95 % interval of the median; none below 6 samples
  double relative_iqr = 0.0;            ///< interquartile range over median
  std::string stop_cause;               ///< one word, see StoppingRule::cause
  std::string stop_reason;              ///< one line, see StoppingRule::why
  std::size_t interrupted_samples = 0;  ///< thread CPU time under 98 % of wall time
  std::vector<std::string> notes;       ///< noise that was seen, one line each; empty when quiet
};

/// Calls `sample` (which measures once and returns seconds) until the rule holds. Throws
/// Interrupted when a stop was requested, CaseFailed when a sample is negative or not finite,
/// UsageError for a wrong rule, and what `sample` throws.
SampleSet collect(const std::function<double()>& sample, const SamplerOptions& options = {});

/// What the harness adds to each sample, in seconds: the median cost of one round of collect()
/// around a sample that does nothing. Nothing is subtracted from results; figures under 20 times
/// this deserve distrust.
double measure_null_s();

/// At most `limit` elements of `values` at even distances, first and last included. Order is kept.
std::vector<double> thinned(const std::vector<double>& values, std::size_t limit);

}  // namespace hpclab
