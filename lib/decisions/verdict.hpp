// hpclab: SPDX-License-Identifier: Apache-2.0
//
// From figures of two sides to a word. Everything is decided on logarithms of costs: a cost is
// smaller when it is better, and the shift of the logarithms is the relative change.
#pragma once

#include "core/rank_test.hpp"
#include "core/statistics.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hpclab::decisions {

enum class Verdict {
  slow,   ///< B costs more, beyond chance
  fast,   ///< B costs less, beyond chance
  same,   ///< any difference is below the margin
  unsure  ///< the figures allow no statement
};
std::string name_of(Verdict verdict);

/// What may go wrong and what is too small to matter.
struct DecisionRule {
  double level = 0.01;    ///< chance of a false alarm among all cases together
  double margin = 0.005;  ///< relative differences below it are of no interest
};

/// Below this many processes a side their medians cannot carry a verdict: the smallest p that
/// 4 against 4 values can reach is 0.029.
inline constexpr std::size_t fewest_processes = 5;
/// The raw samples stand in for processes from this number on.
inline constexpr std::size_t fewest_samples = 10;

/// Median and its order-statistic interval (none below six values).
struct Centre95 {
  double median = 0.0;
  std::optional<Interval> interval;
};

/// The evidence about one case.
struct Evidence {
  Shift log_cost{0.0, 0.0, 0.0};  ///< of B against A, with its interval at the rule's level
  double p_value = 1.0;           ///< of the U test
};

/// Both sides hold positive costs. The interval misses the shift with probability `level`.
Evidence weigh(std::span<const double> costs_a, std::span<const double> costs_b, double level);

/// SAME when the interval lies within the margin; SLOW or FAST when the adjusted p is at most the
/// level; UNSURE otherwise.
Verdict decide(const Shift& log_cost, double adjusted_p, const DecisionRule& rule);

/// Relative difference that a difference of logarithms stands for: exp(x) - 1, kept finite.
double relative_change(double log_difference);

}  // namespace hpclab::decisions
