// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Decisions from interleaved processes. Processes of A and B run in blocks A B B A: whatever drifts
// linearly with time cancels from the block's difference, and exchanging the two sides exchanges
// its sign, so that the signed-rank test is exact however the noise is distributed.
#pragma once

#include "core/signed_rank.hpp"
#include "decisions/verdict.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hpclab::decisions {

/// Log cost of B minus that of A in one block, from the four costs in the order measured: A B B A,
/// or B A A B where `b_first`.
double block_difference(std::span<const double, 4> costs, bool b_first);

/// The budget is looked at this often; each look may raise an alarm.
inline constexpr std::size_t budget_looks = 5;

/// The chance of a false alarm that the first `looks` of budget_looks may spend together: level t^2
/// (Kim & DeMets 1987), t the spent share of the budget. A look tests at what is new since the one
/// before, so that all raise a false alarm with at most `level` (Bonferroni).
double level_of_looks(std::size_t looks, double level);

/// What is known about one case.
struct InterleavedFinding {
  Verdict verdict = Verdict::unsure;
  Centre log_cost{0.0, 0.0, 0.0};  ///< interval at the rule's level
  double p_value = 1.0;            ///< of the look that decided, not adjusted
  std::size_t blocks = 0;
};

/// Decides cases that are measured together; each look adjusts over all of them (Holm).
class InterleavedDecision {
 public:
  InterleavedDecision(std::size_t cases, DecisionRule rule);

  void add(std::size_t index, double difference) { differences_[index].push_back(difference); }
  /// A look after `looks` / budget_looks of the budget (1 .. budget_looks, later than the look
  /// before). SLOW and FAST stay; a case that is SAME may still turn out to be SLOW.
  void look(std::size_t looks);
  bool all_decided() const;
  const std::vector<InterleavedFinding>& findings() const { return findings_; }
  std::span<const double> differences(std::size_t index) const { return differences_[index]; }

 private:
  DecisionRule rule_;
  double spent_level_ = 0.0;
  std::vector<std::vector<double>> differences_;
  std::vector<InterleavedFinding> findings_;
};

/// The smallest relative difference that the last look over `blocks` blocks finds with probability
/// 95 % at the noise of these differences: bootstrap of the centred differences, 400 draws a step
/// with a fixed seed, asking for 99 % because the noise itself is only estimated. Infinite where
/// so few blocks cannot reject at `level` (already divided among cases), or below 4 differences.
double detectable_shift(std::span<const double> differences, std::size_t blocks, double level);

}  // namespace hpclab::decisions
