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

/// Holm's step-down adjustment: controls the chance of any false alarm among all tests (Holm 1979).
/// Returns adjusted p-values in the order of the input; compare them with the wanted level.
std::vector<double> holm_adjusted(std::span<const double> p_values);

/// Benjamini & Hochberg's step-up adjustment: controls the expected share of false alarms among the
/// alarms (Benjamini & Hochberg 1995). Returns adjusted p-values in the order of the input.
std::vector<double> benjamini_hochberg_adjusted(std::span<const double> p_values);

}  // namespace hpclab
