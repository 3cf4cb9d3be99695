// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/percentile_claim.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <stdexcept>

using namespace hpclab;

namespace {

// Oracle: P(at most t failures of h) as a plain binomial sum.
double luck(int h, int t, double p) {
  double term = std::pow(p, h);
  double sum = term;
  for (int i = 1; i <= t; ++i) {
    term *= double(h - i + 1) / i * (1 - p) / p;
    sum += term;
  }
  return sum;
}

}  // namespace

TEST_CASE(
    "samples for a percentile without failures agree with the closed form at 99 % confidence") {
  CHECK(samples_for_percentile(0.5, 0.99) == 7);
  CHECK(samples_for_percentile(0.9, 0.99) == 44);
  CHECK(samples_for_percentile(0.95, 0.99) == 90);
  CHECK(samples_for_percentile(0.99, 0.99) == 459);
  CHECK(samples_for_percentile(0.999, 0.99) == 4603);
}

TEST_CASE("samples for a percentile with failures are the fewest by the binomial sum") {
  for (const double p : {0.5, 0.9, 0.99}) {
    for (int failures = 0; failures <= 6; ++failures) {
      const int h = static_cast<int>(samples_for_percentile(p, 0.99, failures));
      REQUIRE(luck(h, failures, p) <= 0.01 * (1 + 1e-9));
      REQUIRE(luck(h - 1, failures, p) > 0.01);
    }
  }
}

TEST_CASE("failures allowed is the inverse of samples needed") {
  CHECK(failures_allowed(458, 0.99, 0.99) == -1);
  CHECK(failures_allowed(459, 0.99, 0.99) == 0);
  for (std::size_t failures = 1; failures < 8; ++failures) {
    const std::size_t h = samples_for_percentile(0.9, 0.99, failures);
    REQUIRE(failures_allowed(h, 0.9, 0.99) == static_cast<long long>(failures));
    REQUIRE(failures_allowed(h - 1, 0.9, 0.99) == static_cast<long long>(failures) - 1);
  }
  CHECK_THROWS_AS(samples_for_percentile(1.0, 0.99), std::invalid_argument);
}
