// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Do differences lie around zero: Wilcoxon's signed-rank test and the interval that belongs to it.
#pragma once

#include <cstddef>
#include <span>

namespace hpclab {

struct SignedRankTest {
  double w;        ///< sum of the ranks of the positive differences, ties by their middle rank
  double p_value;  ///< two-sided
};

/// Wilcoxon signed-rank test of "the differences are symmetric about 0" (Wilcoxon 1945). Zeros take
/// part with half their rank on either side (Pratt's ranks would drop their share). The
/// distribution of W over all 2^n signs is exact, ties included, up to 100 differences; beyond,
/// normal with tie correction. Throws std::invalid_argument for an empty sample or a value that is
/// not finite.
SignedRankTest signed_rank_test(std::span<const double> differences);

/// The smallest two-sided p that n differences can reach: 2 / 2^n.
double smallest_signed_rank_p(std::size_t n);

/// The sum of the ranks of the positive differences: the statistic alone, without its probability.
double positive_rank_sum(std::span<const double> differences);

/// The largest k with 2 P(W < k) <= level for n differences without ties, 0 when there is none: the
/// test rejects at `level` when W or n (n + 1) / 2 - W is below k.
std::size_t signed_rank_interval_rank(std::size_t n, double level);

/// Centre of symmetry: the median of the Walsh averages (d_i + d_j) / 2, i <= j (Hodges & Lehmann
/// 1963), and the distribution-free interval between two of them that may miss it with
/// probability `level` (Tukey; Hollander & Wolfe, section 3.3); infinite where n is too small.
struct Centre {
  double estimate;
  double low;
  double high;
};
Centre centre_of(std::span<const double> differences, double level);

}  // namespace hpclab
