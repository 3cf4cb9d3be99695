// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/quadrature_rule.hpp"

#include "core/error.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace hpclab::operators {
namespace {

constexpr int most_points = 64;

struct Legendre {
  long double value;      // P_n(x)
  long double preceding;  // P_{n-1}(x)
};

// Bonnet's recursion: (n + 1) P_{n+1} = (2 n + 1) x P_n - n P_{n-1}.
Legendre legendre(int n, long double x) {
  long double value = 1, preceding = 0;
  for (int k = 0; k < n; ++k) {
    const long double next = ((2 * k + 1) * x * value - k * preceding) / (k + 1);
    preceding = value;
    value = next;
  }
  return {value, preceding};
}

// Newton's method from a start within the basin of its root; quadratic, so that a dozen steps end
// at rounding.
template <typename Step>
long double root(long double x, Step step) {
  for (int iteration = 0; iteration < 16; ++iteration) x -= step(x);
  return x;
}

void require_count(int count, int least, const char* rule) {
  if (count < least || count > most_points)
    throw UsageError(std::string(rule) + " quadrature with " + std::to_string(count) +
                     " points does not exist here; valid are " + std::to_string(least) + " to " +
                     std::to_string(most_points));
}

// Points and weights of the negative half, `point(i)` and `weight(x)`, mirrored.
template <typename Point, typename Weight>
QuadratureRule symmetric_rule(int count, Point point, Weight weight) {
  QuadratureRule rule{std::vector<long double>(count), std::vector<long double>(count)};
  for (int i = 0; i < (count + 1) / 2; ++i) {
    const int mirror = count - 1 - i;
    const long double x = i == mirror ? 0 : point(i);
    rule.points[i] = x;
    rule.points[mirror] = -x;
    rule.weights[i] = rule.weights[mirror] = weight(x);
  }
  return rule;
}

}  // namespace

QuadratureRule gauss(int count) {
  require_count(count, 1, "Gauss");
  const int n = count;
  // P_n' = n (x P_n - P_{n-1}) / (x^2 - 1).
  const auto derivative = [n](long double x) {
    const Legendre p = legendre(n, x);
    return n * (x * p.value - p.preceding) / (x * x - 1);
  };
  return symmetric_rule(
      n,
      [&](int i) {
        const long double start = -std::cos(std::numbers::pi_v<long double> * (i + 0.75L) /
                                            (n + 0.5L));  // Tricomi's estimate
        return root(start, [&](long double x) { return legendre(n, x).value / derivative(x); });
      },
      [&](long double x) {
        const long double slope = derivative(x);
        return 2 / ((1 - x * x) * slope * slope);
      });
}

QuadratureRule gauss_lobatto(int count) {
  require_count(count, 2, "Gauss-Lobatto");
  const int degree = count - 1;
  return symmetric_rule(
      count,
      [&](int i) -> long double {
        if (i == 0) return -1;
        // The roots of (1 - x^2) P'_N satisfy x P_N = P_{N-1}, whose Newton step is
        // (x P_N - P_{N-1}) / ((N + 1) P_N); extrema of the Chebyshev polynomial start it.
        const long double start = -std::cos(std::numbers::pi_v<long double> * i / degree);
        return root(start, [&](long double x) {
          const Legendre p = legendre(degree, x);
          return (x * p.value - p.preceding) / ((degree + 1) * p.value);
        });
      },
      [&](long double x) {
        const long double value = legendre(degree, x).value;
        return 2 / (static_cast<long double>(degree) * count * value * value);
      });
}

}  // namespace hpclab::operators
