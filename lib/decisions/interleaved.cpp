// hpclab: SPDX-License-Identifier: Apache-2.0
#include "decisions/interleaved.hpp"

#include "core/rank_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace hpclab::decisions {

double block_difference(std::span<const double, 4> costs, bool b_first) {
  const double outer = std::log(costs[0]) + std::log(costs[3]);
  const double inner = std::log(costs[1]) + std::log(costs[2]);
  return 0.5 * (b_first ? outer - inner : inner - outer);
}

double level_of_looks(std::size_t looks, double level) {
  const double t = static_cast<double>(looks) / static_cast<double>(budget_looks);
  return level * t * t;
}

InterleavedDecision::InterleavedDecision(std::size_t cases, DecisionRule rule)
    : rule_(rule), differences_(cases), findings_(cases) {}

void InterleavedDecision::look(std::size_t looks) {
  const double level = level_of_looks(looks, rule_.level) - spent_level_;
  spent_level_ += level;
  std::vector<double> p_values;
  for (const auto& differences : differences_)
    p_values.push_back(differences.empty() ? 1.0 : signed_rank_test(differences).p_value);
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    InterleavedFinding& finding = findings_[i];
    if (differences_[i].empty()) continue;
    finding.log_cost = centre_of(differences_[i], rule_.level);
    finding.blocks = differences_[i].size();
    if (finding.verdict == Verdict::slow || finding.verdict == Verdict::fast) continue;
    finding.p_value = p_values[i];
    const Centre& centre = finding.log_cost;
    const double p = adjusted[i] <= level ? 0.0 : 1.0;  // the look's level, not the rule's
    finding.verdict = decide({centre.estimate, centre.low, centre.high}, p, rule_);
  }
}

bool InterleavedDecision::all_decided() const {
  return std::none_of(findings_.begin(), findings_.end(), [](const InterleavedFinding& finding) {
    return finding.verdict == Verdict::unsure;
  });
}

double detectable_shift(std::span<const double> differences, std::size_t blocks, double level) {
  constexpr double never = std::numeric_limits<double>::infinity();
  constexpr std::size_t draws = 400;
  constexpr double wanted_power = 0.99;
  if (differences.size() < 4 || smallest_signed_rank_p(blocks) > level) return never;
  std::vector<double> centred(differences.begin(), differences.end());
  const double centre = centre_of(differences, 0.5).estimate;
  double spread = 0.0;
  for (double& value : centred) {
    value -= centre;
    spread = std::max(spread, std::abs(value));
  }
  if (spread == 0.0) return 0.0;
  std::mt19937_64 random(1);
  std::vector<std::vector<double>> samples(draws, std::vector<double>(blocks));
  for (auto& sample : samples) {
    // The signs are exchanged at random, too: under the null both are equally likely.
    for (double& value : sample) {
      value = centred[random() % centred.size()];
      if (random() % 2 == 0) value = -value;
    }
  }
  const auto critical = static_cast<double>(signed_rank_interval_rank(blocks, level));
  const double all = 0.5 * static_cast<double>(blocks * (blocks + 1));
  const auto power = [&](double shift) {
    std::size_t found = 0;
    std::vector<double> shifted(blocks);
    for (const auto& sample : samples) {
      std::transform(sample.begin(), sample.end(), shifted.begin(),
                     [shift](double value) { return value + shift; });
      const double sum = positive_rank_sum(shifted);
      found += std::min(sum, all - sum) < critical;
    }
    return static_cast<double>(found) / static_cast<double>(draws);
  };
  double low = 0.0;
  double high = 2.0 * spread;  // beyond it all differences have one sign
  for (int step = 0; step < 12; ++step) {
    const double middle = 0.5 * (low + high);
    (power(middle) >= wanted_power ? high : low) = middle;
  }
  // The spread of so few differences is itself known to about one part in the root of their number.
  const double doubt = 1.0 / std::sqrt(static_cast<double>(differences.size()));
  return relative_change(high * (1.0 + doubt));
}

}  // namespace hpclab::decisions
