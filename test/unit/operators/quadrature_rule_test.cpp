// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/quadrature_rule.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/special_functions/legendre.hpp>

namespace {

using namespace hpclab;
using namespace hpclab::operators;

constexpr long double few_ulp = 1e-18L;  // of numbers below 1 in extended precision

long double integral(const QuadratureRule& rule, int power) {
  long double sum = 0;
  for (int i = 0; i < rule.size(); ++i) sum += rule.weights[i] * std::pow(rule.points[i], power);
  return sum;
}

long double exact(int power) {
  return power % 2 == 0 ? 2.0L / (power + 1) : 0;
}

}  // namespace

TEST_CASE("are Gauss rules those of the closed forms?") {
  const QuadratureRule two = gauss(2), three = gauss(3);
  CHECK(std::abs(two.points[1] - 1 / std::sqrt(3.0L)) < few_ulp);
  CHECK(std::abs(two.weights[0] - 1) < few_ulp);
  CHECK(std::abs(three.points[2] - std::sqrt(0.6L)) < few_ulp);
  CHECK(three.points[1] == 0);
  CHECK(std::abs(three.weights[0] - 5.0L / 9) < few_ulp);
  CHECK(std::abs(three.weights[1] - 8.0L / 9) < few_ulp);
}

TEST_CASE("are Gauss-Lobatto rules those of the closed forms?") {
  const QuadratureRule four = gauss_lobatto(4), five = gauss_lobatto(5), six = gauss_lobatto(6);
  CHECK(four.points[0] == -1);
  CHECK(std::abs(four.points[2] - std::sqrt(0.2L)) < few_ulp);
  CHECK(std::abs(four.weights[0] - 1.0L / 6) < few_ulp);
  CHECK(std::abs(four.weights[1] - 5.0L / 6) < few_ulp);
  CHECK(std::abs(five.points[3] - std::sqrt(3.0L / 7)) < few_ulp);
  CHECK(std::abs(five.weights[1] - 49.0L / 90) < few_ulp);
  CHECK(std::abs(five.weights[2] - 32.0L / 45) < few_ulp);
  CHECK(std::abs(six.points[4] - std::sqrt(1.0L / 3 + 2 * std::sqrt(7.0L) / 21)) < few_ulp);
  CHECK(std::abs(six.weights[3] - (14 + std::sqrt(7.0L)) / 30) < few_ulp);
}

TEST_CASE("are Gauss points the roots that Boost finds?") {
  for (int count = 1; count <= 20; ++count) {
    const QuadratureRule rule = gauss(count);
    std::vector<long double> roots;
    for (const long double root : boost::math::legendre_p_zeros<long double>(count)) {
      roots.push_back(root);
      if (root != 0) roots.push_back(-root);
    }
    std::sort(roots.begin(), roots.end());
    REQUIRE(roots.size() == rule.points.size());
    for (int i = 0; i < count; ++i) CHECK(std::abs(rule.points[i] - roots[i]) < few_ulp);
  }
}

TEST_CASE("do rules integrate up to their degree and not beyond?") {
  for (int count = 1; count <= 20; ++count) {
    const QuadratureRule rule = gauss(count);
    for (int power = 0; power < 2 * count; ++power)
      CHECK(std::abs(integral(rule, power) - exact(power)) < 10 * few_ulp);
    CHECK(std::abs(integral(rule, 2 * count) - exact(2 * count)) > 1e-13L);
  }
  for (int count = 2; count <= 20; ++count) {
    const QuadratureRule rule = gauss_lobatto(count);
    for (int power = 0; power < 2 * count - 2; ++power)
      CHECK(std::abs(integral(rule, power) - exact(power)) < 10 * few_ulp);
    CHECK(std::abs(integral(rule, 2 * count - 2) - exact(2 * count - 2)) > 1e-13L);
  }
}

TEST_CASE("are points in order and symmetric to the last bit?") {
  for (int count = 2; count <= 64; ++count)
    for (const QuadratureRule& rule : {gauss(count), gauss_lobatto(count)}) {
      CHECK(std::is_sorted(rule.points.begin(), rule.points.end()));
      for (int i = 0; i < count; ++i) {
        CHECK(rule.points[i] == -rule.points[count - 1 - i]);
        CHECK(rule.weights[i] == rule.weights[count - 1 - i]);
        CHECK(rule.weights[i] > 0);
      }
    }
}

TEST_CASE("are counts of points that do not exist refused?") {
  CHECK_THROWS_AS(gauss(0), UsageError);
  CHECK_THROWS_AS(gauss(65), UsageError);
  CHECK_THROWS_AS(gauss_lobatto(1), UsageError);
  CHECK_THROWS_AS(gauss_lobatto(-3), UsageError);
}
