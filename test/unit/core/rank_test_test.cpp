// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/rank_test.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

using namespace hpclab;

namespace {

// Oracle: all C(n + m, n) ways to deal the ranks, counted one by one.
double brute_force_p(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> pooled = a;
  pooled.insert(pooled.end(), b.begin(), b.end());
  std::vector<bool> in_b(pooled.size(), false);
  std::fill(in_b.begin() + a.size(), in_b.end(), true);
  const auto u_of = [&](const std::vector<bool>& mask) {
    double u = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      for (std::size_t j = 0; j < mask.size(); ++j) {
        u += !mask[i] && mask[j] && pooled[i] < pooled[j];
      }
    }
    return u;
  };
  const double centre = double(a.size() * b.size()) / 2.0;
  const double observed = std::abs(u_of(in_b) - centre);
  double as_extreme = 0;
  double all = 0;
  do {
    as_extreme += std::abs(u_of(in_b) - centre) >= observed;
    all += 1;
  } while (std::next_permutation(in_b.begin(), in_b.end()));
  return as_extreme / all;
}

std::vector<double> ramp(double first, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(first + i);
  return values;
}

}  // namespace

TEST_CASE("the smallest p of separated samples is 2 / C(2n, n)") {
  const double expected[] = {0.1000, 0.0286, 0.0079};
  for (int n = 3; n <= 5; ++n) {
    const RankTest test = mann_whitney(ramp(0, n), ramp(100, n));
    CHECK(test.exact);
    CHECK(test.u == n * n);
    CHECK(test.p_value == Catch::Approx(expected[n - 3]).margin(1e-4));
    CHECK(smallest_rank_test_p(n, n) == Catch::Approx(test.p_value).epsilon(1e-12));
  }
}

TEST_CASE("exact p equals the count over all deals of the ranks") {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<double> a(1 + random() % 5);
    std::vector<double> b(1 + random() % 5);
    for (double& value : a) value = std::ldexp(double(random() >> 11), -53);
    for (double& value : b) value = std::ldexp(double(random() >> 11), -53) + 0.2;
    const RankTest test = mann_whitney(a, b);
    REQUIRE(test.exact);
    REQUIRE(test.p_value == Catch::Approx(brute_force_p(a, b)).epsilon(1e-9));
  }
}

TEST_CASE("exact and approximate p agree at 100 against 100 values") {
  // One value more than 10^4 pairs allow, far from the others' influence, switches the method.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> a(100);
  std::vector<double> b(100);
  for (double& value : a) value = normal(random);
  for (double& value : b) value = normal(random) + 0.3;
  const RankTest exact = mann_whitney(a, b);
  b.push_back(0.15);
  const RankTest approximate = mann_whitney(a, b);
  CHECK(exact.exact);
  CHECK(!approximate.exact);
  CHECK(exact.p_value == Catch::Approx(approximate.p_value).margin(0.01));
}

TEST_CASE("equal samples give no evidence, and exchanging the sides changes nothing") {
  const std::vector<double> same(8, 1.0);
  CHECK(mann_whitney(same, same).p_value == 1.0);
  const std::vector<double> a{1, 2, 3, 7, 9};
  const std::vector<double> b{2.5, 3.5, 8, 10, 11, 12};
  CHECK(mann_whitney(a, b).p_value == Catch::Approx(mann_whitney(b, a).p_value).epsilon(1e-12));
  CHECK(mann_whitney(a, b).u + mann_whitney(b, a).u == 30.0);
  CHECK_THROWS_AS(mann_whitney({}, a), std::invalid_argument);
}

TEST_CASE("exact p stays within the wanted level under the null hypothesis") {
  std::mt19937_64 random(9);
  int alarms = 0;
  constexpr int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> a(8);
    std::vector<double> b(8);
    for (double& value : a) value = std::ldexp(double(random() >> 11), -53);
    for (double& value : b) value = std::ldexp(double(random() >> 11), -53);
    alarms += mann_whitney(a, b).p_value <= 0.05;
  }
  CHECK(alarms / double(trials) <= 0.05 + 4 * std::sqrt(0.05 * 0.95 / trials));
  CHECK(alarms > 0);
}

TEST_CASE("Holm and Benjamini-Hochberg adjust a worked example as the definitions say") {
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005};
  const std::vector<double> holm = holm_adjusted(p);
  CHECK(holm[3] == Catch::Approx(0.02));
  CHECK(holm[0] == Catch::Approx(0.03));
  CHECK(holm[2] == Catch::Approx(0.06));
  CHECK(holm[1] == Catch::Approx(0.06));  // 0.04 alone, raised to stay in order
  const std::vector<double> bh = benjamini_hochberg_adjusted(p);
  CHECK(bh[3] == Catch::Approx(0.02));
  CHECK(bh[0] == Catch::Approx(0.02));
  CHECK(bh[2] == Catch::Approx(0.04));
  CHECK(bh[1] == Catch::Approx(0.04));
  CHECK(holm_adjusted({}).empty());
  CHECK_THROWS_AS(holm_adjusted(std::vector<double>{1.5}), std::invalid_argument);
}
