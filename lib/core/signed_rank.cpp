// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/signed_rank.hpp"

#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <boost/math/distributions/normal.hpp>

namespace hpclab {
namespace {

constexpr std::size_t most_exact = 100;

// Twice the middle ranks of |d|, so that they are whole numbers, in the order of `differences`.
std::vector<std::size_t> doubled_ranks(std::span<const double> differences) {
  std::vector<std::size_t> order(differences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    return std::abs(differences[x]) < std::abs(differences[y]);
  });
  std::vector<std::size_t> ranks(differences.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() &&
           std::abs(differences[order[last]]) == std::abs(differences[order[first]])) {
      ++last;
    }
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = first + last + 1;
    first = last;
  }
  return ranks;
}

// P(2 W = s), s = 0 .. sum, when each rank is counted or not with probability 1/2.
std::vector<double> distribution_of(const std::vector<std::size_t>& doubled) {
  const std::size_t sum = std::accumulate(doubled.begin(), doubled.end(), std::size_t{0});
  std::vector<double> probability(sum + 1, 0.0);
  probability[0] = 1.0;
  std::size_t reached = 0;
  for (const std::size_t rank : doubled) {
    reached += rank;
    for (std::size_t s = reached + 1; s-- > 0;) {
      probability[s] = 0.5 * (probability[s] + (s >= rank ? probability[s - rank] : 0.0));
    }
  }
  return probability;
}

void require_sample(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("signed-rank test of an empty sample");
  for (const double value : values) {
    if (!std::isfinite(value))
      throw std::invalid_argument("sample with a value that is not finite");
  }
}

}  // namespace

SignedRankTest signed_rank_test(std::span<const double> differences) {
  require_sample(differences);
  const std::vector<std::size_t> doubled = doubled_ranks(differences);
  std::vector<std::size_t> counted;  // zeros have no sign to be exchanged
  double positive = 0.0;             // twice W
  double zeros = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const auto rank = static_cast<double>(doubled[i]);
    if (differences[i] == 0.0) {
      zeros += 0.5 * rank;
      continue;
    }
    counted.push_back(doubled[i]);
    squares += rank * rank;
    if (differences[i] > 0.0) positive += rank;
  }
  SignedRankTest test{0.5 * (positive + zeros), 1.0};
  if (counted.empty()) return test;
  const auto sum = static_cast<double>(std::accumulate(counted.begin(), counted.end(), 0ULL));
  const double smaller = std::min(positive, sum - positive);
  if (counted.size() <= most_exact) {
    const std::vector<double> probability = distribution_of(counted);
    const auto last = static_cast<std::ptrdiff_t>(smaller);
    const double tail = std::accumulate(probability.begin(), probability.begin() + last + 1, 0.0);
    test.p_value = std::min(1.0, 2.0 * tail);
    return test;
  }
  const double distance = std::max(0.0, sum / 2.0 - smaller - 1.0);
  test.p_value = std::min(1.0, std::erfc(distance / std::sqrt(squares / 2.0)));
  return test;
}

double smallest_signed_rank_p(std::size_t n) {
  return std::ldexp(2.0, -static_cast<int>(std::min<std::size_t>(n, 1000)));
}

double positive_rank_sum(std::span<const double> differences) {
  require_sample(differences);
  const std::vector<std::size_t> doubled = doubled_ranks(differences);
  double sum = 0.0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const double share = differences[i] > 0.0 ? 0.5 : differences[i] == 0.0 ? 0.25 : 0.0;
    sum += share * static_cast<double>(doubled[i]);
  }
  return sum;
}

std::size_t signed_rank_interval_rank(std::size_t n, double level) {
  if (n <= most_exact) {
    std::vector<std::size_t> doubled(n);
    for (std::size_t i = 0; i < n; ++i) doubled[i] = 2 * (i + 1);
    const std::vector<double> probability = distribution_of(doubled);
    double tail = 0.0;
    std::size_t k = 0;
    for (std::size_t s = 0; s < probability.size(); s += 2) {
      tail += probability[s];
      if (2.0 * tail > level) break;
      ++k;
    }
    return k;
  }
  const double count = static_cast<double>(n);
  const double deviation = std::sqrt(count * (count + 1.0) * (2.0 * count + 1.0) / 24.0);
  const double z = boost::math::quantile(boost::math::normal(), 1.0 - level / 2.0);
  return static_cast<std::size_t>(std::max(0.0, count * (count + 1.0) / 4.0 - 0.5 - z * deviation));
}

Centre centre_of(std::span<const double> differences, double level) {
  require_sample(differences);
  if (!(level > 0.0 && level < 1.0)) throw std::invalid_argument("level outside (0, 1)");
  std::vector<double> averages;
  averages.reserve(differences.size() * (differences.size() + 1) / 2);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j)
      averages.push_back(0.5 * (differences[i] + differences[j]));
  }
  Centre centre{median(averages), -std::numeric_limits<double>::infinity(),
                std::numeric_limits<double>::infinity()};
  const std::size_t k = signed_rank_interval_rank(differences.size(), level);
  if (k == 0) return centre;
  const auto ordered = [&](std::size_t index) {
    std::nth_element(averages.begin(), averages.begin() + static_cast<std::ptrdiff_t>(index),
                     averages.end());
    return averages[index];
  };
  centre.low = ordered(k - 1);
  centre.high = ordered(averages.size() - k);
  return centre;
}

}  // namespace hpclab
