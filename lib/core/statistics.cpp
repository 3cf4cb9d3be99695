// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <boost/math/special_functions/beta.hpp>

namespace hpclab {
namespace {

constexpr double wanted_coverage = 0.95;

void require_sample(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("statistics of an empty sample");
  for (const double value : values) {
    if (!std::isfinite(value))
      throw std::invalid_argument("sample with a value that is not finite");
  }
}

double element_at(std::vector<double>& scratch, std::size_t index) {
  std::nth_element(scratch.begin(), scratch.begin() + index, scratch.end());
  return scratch[index];
}

double quantile_in_place(std::vector<double>& scratch, double p) {
  const double position = p * static_cast<double>(scratch.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double low = element_at(scratch, below);
  const double fraction = position - static_cast<double>(below);
  if (fraction == 0.0) return low;
  // nth_element left everything after `below` at least as large: its smallest is the next order
  // statistic.
  const double high = *std::min_element(scratch.begin() + below + 1, scratch.end());
  return low + fraction * (high - low);
}

}  // namespace

double median(std::span<const double> values) {
  require_sample(values);
  std::vector<double> scratch(values.begin(), values.end());
  return estimate_median_in_place(scratch).median;
}

double quantile(std::span<const double> values, double p) {
  require_sample(values);
  if (!(p >= 0.0 && p <= 1.0)) throw std::invalid_argument("quantile outside [0, 1]");
  std::vector<double> scratch(values.begin(), values.end());
  return quantile_in_place(scratch, p);
}

double relative_interquartile_range(std::span<const double> values) {
  require_sample(values);
  std::vector<double> scratch(values.begin(), values.end());
  const double range = quantile_in_place(scratch, 0.75) - quantile_in_place(scratch, 0.25);
  if (range == 0.0) return 0.0;
  const double middle = quantile_in_place(scratch, 0.5);
  return middle == 0.0 ? std::numeric_limits<double>::infinity() : range / std::abs(middle);
}

double median_interval_coverage(std::size_t n, std::size_t k) {
  if (k < 1 || k > (n + 1) / 2) throw std::invalid_argument("rank outside 1..(n + 1) / 2");
  // P(X <= k - 1) = I_{1/2}(n - k + 1, k), the regularised incomplete beta function.
  return 1.0 -
         2.0 * boost::math::ibeta(static_cast<double>(n - k + 1), static_cast<double>(k), 0.5);
}

std::optional<std::size_t> median_interval_rank(std::size_t n) {
  if (n < 6) return std::nullopt;
  if (n <= 64) {
    // Binomial coefficients up to C(64, 32) are exact enough in a double and cheap: rules ask often
    // here.
    const double limit = std::ldexp((1.0 - wanted_coverage) / 2.0, static_cast<int>(n));
    double coefficient = 1.0;
    double tail = 1.0;
    std::size_t k = 1;
    while (true) {
      coefficient *= static_cast<double>(n - k + 1) / static_cast<double>(k);
      tail += coefficient;
      if (tail > limit) return k;
      ++k;
    }
  }
  // The normal approximation is within one or two ranks; the exact coverage settles which.
  const double count = static_cast<double>(n);
  const double guess = count / 2.0 - 0.979982 * std::sqrt(count);
  auto k = static_cast<std::size_t>(std::max(1.0, guess));
  while (median_interval_coverage(n, k) < wanted_coverage) --k;
  while (median_interval_coverage(n, k + 1) >= wanted_coverage) ++k;
  return k;
}

std::optional<Interval> median_interval(std::span<const double> values) {
  require_sample(values);
  std::vector<double> scratch(values.begin(), values.end());
  return estimate_median_in_place(scratch).interval;
}

MedianEstimate estimate_median_in_place(std::span<double> values) {
  require_sample(values);
  const std::size_t n = values.size();
  const auto first = values.begin();
  const std::size_t upper = n / 2;
  std::nth_element(first, first + upper, values.end());
  MedianEstimate estimate{values[upper], std::nullopt};
  if (n % 2 == 0) {
    const double lower = *std::max_element(first, first + upper);
    estimate.median = lower + (values[upper] - lower) / 2.0;
  }
  if (const auto k = median_interval_rank(n)) {
    // x(k) lies in the lower half, x(n + 1 - k) in the upper one: each needs a pass over its half
    // only.
    std::nth_element(first, first + (*k - 1), first + upper);
    std::nth_element(first + upper, first + (n - *k), values.end());
    estimate.interval = Interval{values[*k - 1], values[n - *k]};
  }
  return estimate;
}

}  // namespace hpclab
