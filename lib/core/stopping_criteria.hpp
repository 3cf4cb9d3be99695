// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The stopping criteria that core/stopping_rule.hpp names in its grammar.
#pragma once

#include "core/stopping_rule.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace hpclab {

/// relative: half width of the median's 95 % interval over the median. Looked at after each sample
/// up to 16 samples, then whenever their number has grown by an eighth, so that selection costs
/// O(1) a sample.
class RelativeIntervalRule : public StoppingRule {
 public:
  RelativeIntervalRule(double tolerance, const StoppingLimits& limits);

 protected:
  void take(double sample_s) override { values_s_.push_back(sample_s); }
  std::string_view decide() override;
  std::string state() const override;

 private:
  double tolerance_;
  std::vector<double> values_s_;  // in no particular order: selection moves them
  std::size_t next_check_ = 0;
  double half_width_ = -1.0;  // relative; negative before the first interval
};

/// count: a fixed number of samples.
class CountRule : public StoppingRule {
 public:
  CountRule(std::size_t count, const StoppingLimits& limits)
      : StoppingRule(limits), count_(count) {}

 protected:
  void take(double) override {}
  std::string_view decide() override { return samples() >= count_ ? "count" : ""; }
  std::string state() const override;

 private:
  std::size_t count_;
};

/// time: a fixed elapsed time.
class TimeRule : public StoppingRule {
 public:
  TimeRule(double time_s, const StoppingLimits& limits) : StoppingRule(limits), time_s_(time_s) {}

 protected:
  void take(double) override {}
  std::string_view decide() override { return elapsed_s() >= time_s_ ? "time" : ""; }
  std::string state() const override;

 private:
  double time_s_;
};

/// stdrel: standard deviation over mean below a tolerance, or no longer changing (nvbench,
/// stdrel_criterion).
class RelativeDeviationRule : public StoppingRule {
 public:
  RelativeDeviationRule(double tolerance, const StoppingLimits& limits);

 protected:
  void take(double sample_s) override;
  std::string_view decide() override;
  std::string state() const override;

 private:
  static constexpr std::size_t history_capacity = 512;
  bool history_is_stable() const;

  double tolerance_;
  double mean_s_ = 0.0;
  double squares_ = 0.0;         // sum of squared deviations from the running mean (Welford 1962)
  double noise_ = -1.0;          // standard deviation over mean; negative before five samples
  std::vector<double> history_;  // ring of the last noise estimates
  std::size_t history_next_ = 0;
  std::size_t invalid_estimates_ = 0;
};

/// entropy: H = log2 n - sum(c log2 c) / n over the counts c of equal timings, fitted by a line
/// over its last 299 values (nvbench, entropy_criterion). Meant for clocks with coarse steps: with
/// nanosecond clocks every timing is distinct, H = log2 n, and the rule ends near n = 1 / (ln 2
/// tan(angle)), about 1,700 samples.
class EntropyRule : public StoppingRule {
 public:
  EntropyRule(double max_slope_degrees, double min_r2, const StoppingLimits& limits);

 protected:
  void take(double sample_s) override;
  std::string_view decide() override;
  std::string state() const override;

 private:
  static constexpr std::size_t window = 299;

  double max_slope_degrees_;
  double min_r2_;
  std::unordered_map<std::uint64_t, std::uint32_t> counts_;  // by the bits of the timing
  double weighted_logs_ = 0.0;                               // sum of c log2 c
  std::array<double, window> entropies_{};                   // ring
  double slope_degrees_ = 90.0;
  double r2_ = 0.0;
};

}  // namespace hpclab
