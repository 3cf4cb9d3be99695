// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/rank_test.hpp"

#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <boost/math/distributions/normal.hpp>

namespace hpclab {
namespace {

struct Ranked {
  double u;         // pairs with a < b, ties one half
  double tie_term;  // sum over groups of equal values of t^3 - t
};

Ranked count_pairs(std::span<const double> a, std::span<const double> b) {
  struct Entry {
    double value;
    bool from_b;
  };
  std::vector<Entry> pooled;
  pooled.reserve(a.size() + b.size());
  for (const double value : a) pooled.push_back({value, false});
  for (const double value : b) pooled.push_back({value, true});
  for (const Entry& entry : pooled) {
    if (!std::isfinite(entry.value))
      throw std::invalid_argument("sample with a value that is not finite");
  }
  std::sort(pooled.begin(), pooled.end(),
            [](const Entry& x, const Entry& y) { return x.value < y.value; });
  Ranked ranked{0.0, 0.0};
  double a_before = 0.0;
  for (std::size_t first = 0; first < pooled.size();) {
    std::size_t last = first;
    double a_here = 0.0;
    double b_here = 0.0;
    for (; last < pooled.size() && pooled[last].value == pooled[first].value; ++last) {
      (pooled[last].from_b ? b_here : a_here) += 1.0;
    }
    ranked.u += b_here * (a_before + 0.5 * a_here);
    const double tied = a_here + b_here;
    ranked.tie_term += tied * tied * tied - tied;
    a_before += a_here;
    first = last;
  }
  return ranked;
}

// P(U = 0..u) when all orders are equally likely. ways[s] counts the subsets of n ranks out of n +
// m whose U is s: the coefficients of the Gaussian binomial prod (1 - q^(m+i)) / (1 - q^i), i
// = 1..n. Kept as probabilities, so nothing overflows: each factor is divided by (m + i) / i.
std::vector<double> distribution_of_u(std::size_t n, std::size_t m, std::size_t u) {
  std::vector<double> probability(u + 1, 0.0);
  probability[0] = 1.0;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t s = u; s >= m + i && s > 0; --s) probability[s] -= probability[s - (m + i)];
    for (std::size_t s = i; s <= u; ++s) probability[s] += probability[s - i];
    const double scale = static_cast<double>(i) / static_cast<double>(m + i);
    for (double& value : probability) value *= scale;
  }
  return probability;
}

double exact_lower_tail(std::size_t n, std::size_t m, std::size_t u) {
  const std::vector<double> probability = distribution_of_u(n, m, u);
  return std::accumulate(probability.begin(), probability.end(), 0.0);
}

// Up to this many pairs the distribution of U is computed.
constexpr std::size_t most_exact_pairs = 10000;

std::vector<std::size_t> ascending_order(std::span<const double> p_values) {
  for (const double p : p_values) {
    if (!(p >= 0.0 && p <= 1.0)) throw std::invalid_argument("p-value outside [0, 1]");
  }
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return p_values[x] < p_values[y]; });
  return order;
}

}  // namespace

RankTest mann_whitney(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) throw std::invalid_argument("rank test of an empty sample");
  const Ranked ranked = count_pairs(a, b);
  const double n = static_cast<double>(a.size());
  const double m = static_cast<double>(b.size());
  RankTest test{ranked.u, 1.0, false};
  if (ranked.tie_term == 0.0 && a.size() * b.size() <= most_exact_pairs) {
    const double smaller = std::min(ranked.u, n * m - ranked.u);
    const double tail = exact_lower_tail(a.size(), b.size(), static_cast<std::size_t>(smaller));
    test.p_value = std::min(1.0, 2.0 * tail);
    test.exact = true;
    return test;
  }
  const double total = n + m;
  const double variance = n * m / 12.0 * (total + 1.0 - ranked.tie_term / (total * (total - 1.0)));
  if (variance <= 0.0) return test;  // all values equal: no evidence of anything
  const double distance = std::max(0.0, std::abs(ranked.u - n * m / 2.0) - 0.5);
  test.p_value = std::min(1.0, std::erfc(distance / std::sqrt(2.0 * variance)));
  return test;
}

std::size_t shift_interval_rank(std::size_t n, std::size_t m, double level) {
  if (n == 0 || m == 0) throw std::invalid_argument("rank test of an empty sample");
  if (!(level > 0.0 && level < 1.0)) throw std::invalid_argument("level outside (0, 1)");
  const std::size_t pairs = n * m;
  std::size_t k = 0;
  if (pairs <= most_exact_pairs) {
    double tail = 0.0;
    for (const double probability : distribution_of_u(n, m, pairs / 2)) {
      tail += probability;
      if (2.0 * tail > level) break;
      ++k;
    }
    return std::min(k, (pairs + 1) / 2);
  }
  const double count = static_cast<double>(pairs);
  const double deviation = std::sqrt(count * static_cast<double>(n + m + 1) / 12.0);
  const double z = boost::math::quantile(boost::math::normal(), 1.0 - level / 2.0);
  return static_cast<std::size_t>(std::max(0.0, count / 2.0 - 0.5 - z * deviation));
}

Shift shift_between(std::span<const double> a, std::span<const double> b, double level) {
  if (a.empty() || b.empty()) throw std::invalid_argument("rank test of an empty sample");
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double x : a) {
    for (const double y : b) differences.push_back(y - x);
  }
  const std::size_t k = shift_interval_rank(a.size(), b.size(), level);
  Shift shift{median(differences), -std::numeric_limits<double>::infinity(),
              std::numeric_limits<double>::infinity()};
  if (k == 0) return shift;
  const auto ordered = [&](std::size_t index) {
    std::nth_element(differences.begin(), differences.begin() + index, differences.end());
    return differences[index];
  };
  shift.low = ordered(k - 1);
  shift.high = ordered(differences.size() - k);
  return shift;
}

double smallest_rank_test_p(std::size_t n, std::size_t m) {
  if (n == 0 || m == 0) throw std::invalid_argument("rank test of an empty sample");
  double p = 2.0;
  for (std::size_t i = 1; i <= n; ++i) p *= static_cast<double>(i) / static_cast<double>(m + i);
  return std::min(1.0, p);
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  const std::vector<std::size_t> order = ascending_order(p_values);
  std::vector<double> adjusted(p_values.size());
  double running = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double factor = static_cast<double>(order.size() - i);
    running = std::max(running, std::min(1.0, factor * p_values[order[i]]));
    adjusted[order[i]] = running;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg_adjusted(std::span<const double> p_values) {
  const std::vector<std::size_t> order = ascending_order(p_values);
  std::vector<double> adjusted(p_values.size());
  double running = 1.0;
  for (std::size_t i = order.size(); i-- > 0;) {
    const double factor = static_cast<double>(order.size()) / static_cast<double>(i + 1);
    running = std::min(running, factor * p_values[order[i]]);
    adjusted[order[i]] = running;
  }
  return adjusted;
}

}  // namespace hpclab
