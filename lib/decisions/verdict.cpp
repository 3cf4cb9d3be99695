// hpclab: SPDX-License-Identifier: Apache-2.0
#include "decisions/verdict.hpp"

#include <algorithm>
#include <cmath>

namespace hpclab::decisions {
namespace {

std::vector<double> logarithms(std::span<const double> costs) {
  std::vector<double> result(costs.begin(), costs.end());
  for (double& value : result) value = std::log(value);
  return result;
}

}  // namespace

std::string name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::slow:
      return "SLOW";
    case Verdict::fast:
      return "FAST";
    case Verdict::same:
      return "SAME";
    case Verdict::unsure:
      return "UNSURE";
  }
  return "?";
}

Evidence weigh(std::span<const double> costs_a, std::span<const double> costs_b, double level) {
  const std::vector<double> a = logarithms(costs_a);
  const std::vector<double> b = logarithms(costs_b);
  return {shift_between(a, b, level), mann_whitney(a, b).p_value};
}

Verdict decide(const Shift& log_cost, double adjusted_p, const DecisionRule& rule) {
  const double margin = std::log1p(rule.margin);
  if (log_cost.low >= -margin && log_cost.high <= margin) return Verdict::same;
  if (adjusted_p <= rule.level) return log_cost.estimate > 0.0 ? Verdict::slow : Verdict::fast;
  return Verdict::unsure;
}

double relative_change(double log_difference) {
  constexpr double largest = 50.0;  // e^50 = 5e21: more is not a difference but another thing
  return std::expm1(std::clamp(log_difference, -largest, largest));
}

}  // namespace hpclab::decisions
