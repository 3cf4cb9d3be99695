// hpclab: SPDX-License-Identifier: Apache-2.0
//
// When has a measurement been repeated often enough.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace hpclab {

inline constexpr std::string_view default_stopping_rule = "relative:1%,min=10,time=10s";

/// Bounds that every rule obeys beside its own criterion.
struct StoppingLimits {
  std::size_t min_samples = 1;        ///< the criterion is not asked before
  double min_time_s = 0.0;            ///< nor before the samples add up to this time
  double time_limit_s = 0.0;          ///< ends the case even below min_samples; 0: none
  std::size_t max_samples = 1000000;  ///< ends the case; bounds memory for very short samples
};

/// Fed with one sample after another; says when to stop and why. One object serves one case.
class StoppingRule {
 public:
  explicit StoppingRule(const StoppingLimits& limits) : limits_(limits) {}
  virtual ~StoppingRule() = default;
  StoppingRule(const StoppingRule&) = delete;
  StoppingRule& operator=(const StoppingRule&) = delete;

  /// One more sample of `sample_s` seconds; `elapsed_s` of wall time have passed since the first
  /// one began. Time limits count elapsed time, so that set-up between samples is bounded too.
  void add(double sample_s, double elapsed_s);
  /// As above where only the samples took time.
  void add(double sample_s) { add(sample_s, sum_s_ + sample_s); }

  bool done() const { return done_; }
  /// One line for the record: which criterion or limit ended the case, with its value.
  std::string why() const;
  /// One word for tables: converged, count, time, stable, samples-limit, time-limit; empty while
  /// not done.
  std::string_view cause() const { return cause_; }
  std::size_t samples() const { return samples_; }
  double sum_s() const { return sum_s_; }
  double elapsed_s() const { return elapsed_s_; }

 protected:
  /// Takes the sample in; called for each.
  virtual void take(double sample_s) = 0;
  /// Is the criterion met? Called after each sample once the minima are reached, so it must cost
  /// next to nothing on average; returns the cause, or an empty view to go on.
  virtual std::string_view decide() = 0;
  /// The criterion's current value in words, for why().
  virtual std::string state() const = 0;
  const StoppingLimits& limits() const { return limits_; }

 private:
  StoppingLimits limits_;
  std::size_t samples_ = 0;
  double sum_s_ = 0.0;
  double elapsed_s_ = 0.0;
  bool done_ = false;
  std::string_view cause_;
};

/// Makes a rule from text; throws UsageError with what is wrong and the nearest valid word.
///   relative:1%       half of the 95 % interval of the median is at most 1 % of the median
///   count:50          exactly 50 samples (no time limit unless given)
///   time:2s           two seconds of elapsed time
///   stdrel:0.5%       nvbench's default: once the samples add up to 0.5 s, standard deviation over
///                     mean below 0.5 %, or no longer changing (its history spread under 5 %)
///   entropy[:0.048]   nvbench's: entropy of the distinct timings no longer grows (slope in degrees
///                     a sample over its last 299 values, fitted with R^2 of at least 0.36)
///
/// Each may be followed by `,key=value`: min=10 (samples) or min=0.5s, time=10s (limit), max=100000
/// (samples); entropy also r2=0.36. A percentage may be written as 1% or 0.01, a time as 500ms, 2s
/// or 1m. Defaults but for count and time: min=10, time=10s.
///
/// A rule that looks at the data and stops when it likes what it sees makes intervals a little too
/// narrow: with relative:1% on gaussian samples of 2 % deviation the reported 95 % interval covers
/// the true median in 94 % of 3000 simulated cases. Compare programs by the medians of whole runs,
/// not by intervals of one run.
std::unique_ptr<StoppingRule> parse_stopping_rule(std::string_view text);

}  // namespace hpclab
