// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/signed_rank.hpp"

#include "core/rank_test.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

using namespace hpclab;

namespace {

// Oracle: all 2^n signs, the ranks written down by comparing each with each.
double brute_force_p(const std::vector<double>& d) {
  const std::size_t n = d.size();
  std::vector<double> ranks(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (std::abs(d[j]) < std::abs(d[i])) ranks[i] += 1.0;
      if (std::abs(d[j]) == std::abs(d[i])) ranks[i] += 0.5;
    }
    ranks[i] += 0.5;
  }
  double observed = 0.0;
  for (std::size_t i = 0; i < n; ++i) observed += d[i] > 0 ? ranks[i] : -ranks[i];
  double extreme = 0;
  for (std::size_t mask = 0; mask < (std::size_t{1} << n); ++mask) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += (mask >> i) & 1u ? ranks[i] : -ranks[i];
    extreme += std::abs(sum) >= std::abs(observed) - 1e-9;
  }
  return extreme / std::ldexp(1.0, static_cast<int>(n));
}

}  // namespace

TEST_CASE("does the signed-rank p equal the count over all signs, ties included") {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<double> d(1 + random() % 10);
    for (double& value : d) value = static_cast<double>(1 + random() % 9) * (random() % 2 ? 1 : -1);
    REQUIRE(signed_rank_test(d).p_value == Catch::Approx(brute_force_p(d)).epsilon(1e-12));
  }
}

TEST_CASE("does the signed-rank test reject at the published critical values") {
  // Two-sided 5 %, n = 10: W <= 8 rejects, W = 9 does not; 1 %: W <= 3 (Wilcoxon's table).
  const auto with_negative_ranks = [](std::vector<int> negative) {
    std::vector<double> d;
    for (int rank = 1; rank <= 10; ++rank) {
      const bool is = std::find(negative.begin(), negative.end(), rank) != negative.end();
      d.push_back(is ? -rank : rank);
    }
    return signed_rank_test(d).p_value;
  };
  CHECK(with_negative_ranks({8}) <= 0.05);
  CHECK(with_negative_ranks({9}) > 0.05);
  CHECK(with_negative_ranks({3}) <= 0.01);
  CHECK(with_negative_ranks({4}) > 0.01);
  CHECK(smallest_signed_rank_p(8) == Catch::Approx(2.0 / 256.0));
  CHECK_THROWS_AS(signed_rank_test({}), std::invalid_argument);
  CHECK(signed_rank_test(std::vector<double>(9, 0.0)).p_value == 1.0);
}

TEST_CASE("do exact and normal p agree where the method changes") {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal(0.25, 1.0);
  std::vector<double> d(100);
  for (double& value : d) value = normal(random);
  const double exact = signed_rank_test(d).p_value;
  d.push_back(1e-9);
  CHECK(signed_rank_test(d).p_value == Catch::Approx(exact).margin(0.004));
}

TEST_CASE("does the interval of the centre exclude 0 exactly where the test rejects") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(0.6, 1.0);
  int rejections = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> d(12);
    for (double& value : d) value = normal(random);
    const Centre centre = centre_of(d, 0.05);
    const bool excluded = centre.low > 0.0 || centre.high < 0.0;
    REQUIRE(excluded == (signed_rank_test(d).p_value <= 0.05));
    const double sum = positive_rank_sum(d);
    const auto critical = static_cast<double>(signed_rank_interval_rank(12, 0.05));
    REQUIRE(excluded == (std::min(sum, 78.0 - sum) < critical));
    REQUIRE(centre.low <= centre.estimate);
    REQUIRE(centre.estimate <= centre.high);
    rejections += excluded;
  }
  CHECK(rejections > 20);
  CHECK(rejections < 180);
  CHECK(std::isinf(centre_of(std::vector<double>{1.0, 2.0}, 0.05).low));
}

TEST_CASE("does the interval of the shift exclude 0 exactly where the U test rejects") {
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  int rejections = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> a(6);
    std::vector<double> b(7);
    for (double& value : a) value = normal(random);
    for (double& value : b) value = normal(random) + 1.0;
    const Shift shift = shift_between(a, b, 0.05);
    const bool excluded = shift.low > 0.0 || shift.high < 0.0;
    REQUIRE(excluded == (mann_whitney(a, b).p_value <= 0.05));
    rejections += excluded;
  }
  CHECK(rejections > 20);
  CHECK(rejections < 180);
}

TEST_CASE("are the ranks of the shift interval those of the published U tables") {
  // Critical values of U, two-sided 5 %: reject at U <= 2 (5, 5), 13 (8, 8), 23 (10, 10); 1 %: 0
  // (5, 5), 7 (8, 8), 16 (10, 10). The interval begins one difference later.
  CHECK(shift_interval_rank(5, 5, 0.05) == 3);
  CHECK(shift_interval_rank(8, 8, 0.05) == 14);
  CHECK(shift_interval_rank(10, 10, 0.05) == 24);
  CHECK(shift_interval_rank(5, 5, 0.01) == 1);
  CHECK(shift_interval_rank(8, 8, 0.01) == 8);
  CHECK(shift_interval_rank(10, 10, 0.01) == 17);
  CHECK(shift_interval_rank(4, 4, 0.01) == 0);
  const auto exact = static_cast<double>(shift_interval_rank(100, 100, 0.05));
  const auto normal = static_cast<double>(shift_interval_rank(100, 101, 0.05));
  CHECK(normal == Catch::Approx(exact * 1.01).margin(20));
}
