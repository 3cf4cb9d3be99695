// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/statistics.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

using namespace hpclab;

namespace {

// Oracle: the binomial tail with exact integers, n <= 62.
double brute_force_coverage(unsigned n, unsigned k) {
  unsigned long long coefficient = 1;
  unsigned long long tail = 0;
  for (unsigned i = 0; i < k; ++i) {
    tail += coefficient;
    coefficient = coefficient * (n - i) / (i + 1);
  }
  return 1.0 - 2.0 * static_cast<double>(tail) / std::ldexp(1.0, static_cast<int>(n));
}

}  // namespace

TEST_CASE("median of odd, even and single samples is the textbook value") {
  CHECK(median(std::vector<double>{3, 1, 2}) == 2.0);
  CHECK(median(std::vector<double>{4, 1, 3, 2}) == 2.5);
  CHECK(median(std::vector<double>{7}) == 7.0);
  CHECK(median(std::vector<double>{1e308, 1e308}) == 1e308);
}

TEST_CASE("quantile interpolates between order statistics as type 7 does") {
  const std::vector<double> values{40, 10, 30, 20};
  CHECK(quantile(values, 0.0) == 10.0);
  CHECK(quantile(values, 1.0) == 40.0);
  CHECK(quantile(values, 0.25) == Catch::Approx(17.5));
  CHECK(quantile(values, 0.5) == median(values));
  CHECK_THROWS_AS(quantile(values, 1.5), std::invalid_argument);
}

TEST_CASE("an empty sample and one with a value that is not finite are refused") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(median(std::vector<double>{}), std::invalid_argument);
  CHECK_THROWS_AS(median(std::vector<double>{1.0, nan}), std::invalid_argument);
  CHECK_THROWS_AS(median_interval(std::vector<double>{1, 2, 3, 4, 5, HUGE_VAL}),
                  std::invalid_argument);
}

TEST_CASE("rank of the median's 95 % interval agrees with the published table") {
  CHECK(!median_interval_rank(5).has_value());
  CHECK(!median_interval_rank(0).has_value());
  CHECK(median_interval_rank(6).value() == 1);
  CHECK(median_interval_rank(10).value() == 2);
  CHECK(median_interval_rank(20).value() == 6);
  CHECK(median_interval_rank(30).value() == 10);
  CHECK(median_interval_rank(100).value() == 40);
  CHECK(median_interval_coverage(6, 1) == Catch::Approx(0.96875).epsilon(1e-12));
}

TEST_CASE("coverage equals the exact binomial sum, and the rank is the largest that covers 95 %") {
  for (unsigned n = 6; n <= 60; ++n) {
    for (unsigned k = 1; k <= n / 2; ++k) {
      REQUIRE(median_interval_coverage(n, k) ==
              Catch::Approx(brute_force_coverage(n, k)).margin(1e-12));
    }
    const auto k = static_cast<unsigned>(median_interval_rank(n).value());
    REQUIRE(brute_force_coverage(n, k) >= 0.95);
    REQUIRE(brute_force_coverage(n, k + 1) < 0.95);
  }
  for (const std::size_t n : {64, 65, 66, 127, 1000, 4096, 1000000}) {
    const std::size_t k = median_interval_rank(n).value();
    REQUIRE(median_interval_coverage(n, k) >= 0.95);
    REQUIRE(median_interval_coverage(n, k + 1) < 0.95);
  }
}

TEST_CASE("interval of the median takes the k-th smallest and k-th largest value") {
  std::vector<double> values(10);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(10 - i);
  const Interval interval = median_interval(values).value();
  CHECK(interval.low == 2.0);
  CHECK(interval.high == 9.0);
  CHECK(!median_interval(std::vector<double>{1, 2, 3, 4, 5}).has_value());
}

TEST_CASE(
    "selection in place gives the same interval as sorting, for every small size and with ties") {
  std::mt19937_64 random(7);
  for (std::size_t n = 1; n < 80; ++n) {
    std::vector<double> values(n);
    for (double& value : values) value = static_cast<double>(random() % 20);
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const MedianEstimate estimate = estimate_median_in_place(values);
    REQUIRE(estimate.median == (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0);
    REQUIRE(estimate.interval.has_value() == (n >= 6));
    if (!estimate.interval) continue;
    const std::size_t k = median_interval_rank(n).value();
    REQUIRE(estimate.interval->low == sorted[k - 1]);
    REQUIRE(estimate.interval->high == sorted[n - k]);
  }
}

TEST_CASE("does the 95 % interval cover the true median at least that often on skewed data") {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> skewed(0.0, 1.0);  // median 1
  int covered = 0;
  constexpr int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values(20);
    for (double& value : values) value = skewed(random);
    const Interval interval = median_interval(values).value();
    covered += interval.low <= 1.0 && 1.0 <= interval.high;
  }
  // Exact coverage at n = 20 is 95.86 %; four standard errors of 4000 trials are 1.26 %.
  CHECK(covered / double(trials) == Catch::Approx(0.9586).margin(0.0126));
}

TEST_CASE("relative interquartile range is scale free and 0 for a constant sample") {
  const std::vector<double> values{1, 2, 3, 4, 5};
  std::vector<double> scaled;
  for (const double value : values) scaled.push_back(value * 1e-9);
  CHECK(relative_interquartile_range(values) == Catch::Approx(2.0 / 3.0));
  CHECK(relative_interquartile_range(scaled) == Catch::Approx(2.0 / 3.0));
  CHECK(relative_interquartile_range(std::vector<double>{0, 0, 0}) == 0.0);
}
