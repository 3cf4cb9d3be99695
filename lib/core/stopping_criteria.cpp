// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/stopping_criteria.hpp"

#include "core/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace hpclab {

RelativeIntervalRule::RelativeIntervalRule(double tolerance, const StoppingLimits& limits)
    : StoppingRule(limits), tolerance_(tolerance) {
  values_s_.reserve(1024);
}

std::string_view RelativeIntervalRule::decide() {
  const std::size_t n = values_s_.size();
  if (n < next_check_) return {};
  next_check_ = n + std::max<std::size_t>(1, n / 8);
  const MedianEstimate estimate = estimate_median_in_place(values_s_);
  if (!estimate.interval) return {};
  const double half_width_s = (estimate.interval->high - estimate.interval->low) / 2.0;
  half_width_ = half_width_s == 0.0 ? 0.0 : half_width_s / estimate.median;
  return half_width_s <= tolerance_ * estimate.median ? "converged" : "";
}

std::string RelativeIntervalRule::state() const {
  if (half_width_ < 0.0) return "too few samples for an interval of the median";
  return fmt::format("95 % interval of the median within {:.3g} %, wanted {:.3g} %",
                     100.0 * half_width_, 100.0 * tolerance_);
}

std::string CountRule::state() const {
  return fmt::format("wanted {} samples", count_);
}

std::string TimeRule::state() const {
  return fmt::format("wanted {:.3g} s", time_s_);
}

RelativeDeviationRule::RelativeDeviationRule(double tolerance, const StoppingLimits& limits)
    : StoppingRule(limits), tolerance_(tolerance) {
  history_.reserve(history_capacity);
}

void RelativeDeviationRule::take(double sample_s) {
  const double n = static_cast<double>(samples());
  const double before = sample_s - mean_s_;
  mean_s_ += before / n;
  squares_ += before * (sample_s - mean_s_);
  if (samples() < 5) return;  // nvbench estimates no noise from fewer
  const double noise = std::sqrt(squares_ / (n - 1.0)) / mean_s_;
  if (!std::isfinite(noise)) {
    ++invalid_estimates_;
    return;
  }
  noise_ = noise;
  if (history_.size() < history_capacity) {
    history_.push_back(noise);
  } else {
    history_[history_next_] = noise;
  }
  history_next_ = (history_next_ + 1) % history_capacity;
}

bool RelativeDeviationRule::history_is_stable() const {
  double squares = 0.0;
  for (const double noise : history_) squares += (noise - noise_) * (noise - noise_);
  return std::sqrt(squares / static_cast<double>(history_.size() - 1)) < 0.05 * noise_;
}

std::string_view RelativeDeviationRule::decide() {
  if (noise_ >= 0.0 && noise_ < tolerance_) return "converged";
  if (history_.size() > 64 && samples() % 16 == 0 && history_is_stable()) return "stable";
  return invalid_estimates_ >= 64 ? "stable" : "";
}

std::string RelativeDeviationRule::state() const {
  if (noise_ < 0.0) return "no estimate of the standard deviation";
  return fmt::format("standard deviation {:.3g} % of the mean, wanted {:.3g} %", 100.0 * noise_,
                     100.0 * tolerance_);
}

EntropyRule::EntropyRule(double max_slope_degrees, double min_r2, const StoppingLimits& limits)
    : StoppingRule(limits), max_slope_degrees_(max_slope_degrees), min_r2_(min_r2) {
  counts_.reserve(4 * window);
}

void EntropyRule::take(double sample_s) {
  const double c = ++counts_[std::bit_cast<std::uint64_t>(sample_s)];
  weighted_logs_ += c * std::log2(c);
  if (c > 1.0) weighted_logs_ -= (c - 1.0) * std::log2(c - 1.0);
  const double n = static_cast<double>(samples());
  entropies_[(samples() - 1) % window] = std::log2(n) - weighted_logs_ / n;
}

std::string_view EntropyRule::decide() {
  const std::size_t n = std::min(samples(), window);
  // nvbench looks at every even number; a full window changes too little in 16 samples to need
  // that.
  if (n < 2 || samples() % (n < window ? 2 : 16) != 0) return {};
  const std::size_t oldest = samples() <= window ? 0 : samples() % window;
  const double count = static_cast<double>(n);
  const double centre = (count - 1.0) / 2.0;
  double mean = 0.0;
  for (std::size_t i = 0; i < n; ++i) mean += entropies_[i];
  mean /= count;
  double products = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double y = entropies_[oldest + i < window ? oldest + i : oldest + i - window] - mean;
    products += (static_cast<double>(i) - centre) * y;
    squares += y * y;
  }
  const double index_squares = count * (count * count - 1.0) / 12.0;
  slope_degrees_ = std::atan(products / index_squares) * 180.0 / std::numbers::pi;
  // A constant entropy is fitted perfectly; the threshold keeps rounding noise from deciding
  // otherwise.
  const bool constant = squares <= 1e-24 * count * std::max(1.0, mean * mean);
  r2_ = constant ? 1.0 : products * products / (index_squares * squares);
  return slope_degrees_ <= max_slope_degrees_ && r2_ >= min_r2_ ? "converged" : "";
}

std::string EntropyRule::state() const {
  return fmt::format("entropy slope {:.3g} degrees, wanted {:.3g}, R^2 {:.2f}", slope_degrees_,
                     max_slope_degrees_, r2_);
}

}  // namespace hpclab
