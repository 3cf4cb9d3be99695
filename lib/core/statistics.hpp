// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Order statistics and rank tests for timings. Timings are skewed and have outliers, so the project
// reports medians with distribution-free intervals and never mean plus or minus standard deviation.
// All functions throw std::invalid_argument on an empty sample or one with a value that is not
// finite.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace hpclab {

struct Interval {
  double low;
  double high;
};

/// Middle value, or the mean of the two middle values. O(n).
double median(std::span<const double> values);

/// Quantile by linear interpolation between order statistics at position p (n - 1)
/// (Hyndman & Fan 1996, type 7). 0 <= p <= 1, else std::invalid_argument. O(n).
double quantile(std::span<const double> values, double p);

/// (third quartile - first quartile) / median; 0 when all values are equal, infinite when only the
/// median is 0.
double relative_interquartile_range(std::span<const double> values);

/// Probability that the median of a continuous distribution lies between the k-th smallest and the
/// k-th largest of n independent values: 1 - 2 P(Binomial(n, 1/2) < k). 1 <= k <= (n + 1) / 2.
double median_interval_coverage(std::size_t n, std::size_t k);

/// The largest k whose interval [x(k), x(n + 1 - k)] covers the median with at least 95 %; none for
/// n < 6, where even the whole range covers less. Exact at every n: 6 -> 1, 10 -> 2, 20 -> 6, 30 ->
/// 10, 100 -> 40.
std::optional<std::size_t> median_interval_rank(std::size_t n);

/// The 95 % interval of the median from order statistics; none below six values. O(n).
/// The values must be independent; correlated ones make it too narrow.
std::optional<Interval> median_interval(std::span<const double> values);

/// As median_interval, but reorders `values` instead of copying them (for rules that check often).
struct MedianEstimate {
  double median;
  std::optional<Interval> interval;
};
MedianEstimate estimate_median_in_place(std::span<double> values);

}  // namespace hpclab
