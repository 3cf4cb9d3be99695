// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Is one sample shifted against another: the Mann-Whitney U test, and adjustments for many tests at
// once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hpclab {

struct RankTest {
  double u;  ///< pairs (a, b) with a < b, ties counted one half; a faster than b gives a large u
  double p_value;  ///< two-sided
  bool exact;      ///< from the distribution of U; false: normal approximation with tie correction
};

/// Mann-Whitney U test of "neither sample tends to be smaller" (Mann & Whitney 1947). Exact when
/// there are no ties and |a| |b| <= 10^4; otherwise normal approximation with continuity and tie
/// correction. Throws std::invalid_argument on an empty sample or one with a value that is not
/// finite.
RankTest mann_whitney(std::span<const double> a, std::span<const double> b);

/// The smallest two-sided p that samples of n and m values can reach: 2 / C(n + m, n).
/// 3 and 3 -> 0.100, 4 and 4 -> 0.029, 5 and 5 -> 0.0079: below 5 a side no verdict at 1 % is
/// possible.
double smallest_rank_test_p(std::size_t n, std::size_t m);

/// By how much b lies above a: the median of all differences b_j - a_i (Hodges & Lehmann 1963) and
/// the distribution-free interval between two of these differences that belongs to the U test
/// (Moses; Hollander & Wolfe, section 4.3): it excludes 0 where the test rejects.
struct Shift {
  double estimate;
  double low;   ///< minus infinity where the samples are too small for any interval
  double high;  ///< plus infinity there
};

/// `level` is what the interval may miss, e.g. 0.01; samples as for mann_whitney. Cost and memory
/// grow with |a| |b|.
Shift shift_between(std::span<const double> a, std::span<const double> b, double level);

/// The largest k with 2 P(U < k) <= level for samples of n and m values, 0 when there is none:
/// [D(k), D(n m + 1 - k)] of the ordered differences is the interval above. Exact up to n m = 10^4,
/// from the normal approximation beyond.
std::size_t shift_interval_rank(std::size_t n, std::size_t m, double level);

/// Holm's step-down adjustment: controls the chance of any false alarm among all tests (Holm 1979).
/// Returns adjusted p-values in the order of the input; compare them with the wanted level.
std::vector<double> holm_adjusted(std::span<const double> p_values);

/// Benjamini & Hochberg's step-up adjustment: controls the expected share of false alarms among the
/// alarms (Benjamini & Hochberg 1995). Returns adjusted p-values in the order of the input.
std::vector<double> benjamini_hochberg_adjusted(std::span<const double> p_values);

}  // namespace hpclab
