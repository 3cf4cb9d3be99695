// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/lagrange_basis.hpp"

#include "operators/element_operator.hpp"
#include "operators/even_odd.hpp"
#include "operators/quadrature_rule.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <vector>

namespace {

using namespace hpclab::operators;

struct Sizes {
  int nodes, points;
};

std::vector<Sizes> all_sizes() {
  std::vector<Sizes> sizes;
  for (int nodes = 2; nodes <= largest_degree + 1; ++nodes)
    for (int points = 2; points <= largest_quadrature; ++points) sizes.push_back({nodes, points});
  return sizes;
}

}  // namespace

TEST_CASE("do interpolation and derivative matrices reproduce polynomials?") {
  for (const Sizes& size : all_sizes()) {
    const auto nodes = gauss_lobatto(size.nodes).points, points = gauss(size.points).points;
    const Matrix values = interpolation_matrix(nodes, points);
    const Matrix slopes = derivative_matrix(nodes, points);
    for (int power = 0; power < size.nodes; ++power)
      for (int q = 0; q < size.points; ++q) {
        long double value = 0, slope = 0;
        for (int i = 0; i < size.nodes; ++i) {
          value += values(q, i) * std::pow(nodes[i], power);
          slope += slopes(q, i) * std::pow(nodes[i], power);
        }
        CHECK(std::abs(value - std::pow(points[q], power)) < 1e-17L);
        const long double exact = power == 0 ? 0 : power * std::pow(points[q], power - 1);
        CHECK(std::abs(slope - exact) < 1e-15L);
      }
  }
}

TEST_CASE("is interpolation to the nodes themselves the identity?") {
  for (int n = 2; n <= 14; ++n) {
    const auto nodes = gauss_lobatto(n).points;
    const Matrix values = interpolation_matrix(nodes, nodes);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) CHECK(std::abs(values(i, j) - (i == j ? 1 : 0)) < 1e-18L);
  }
}

TEST_CASE("does a packed matrix multiply like the matrix?") {
  for (const Sizes& size : all_sizes()) {
    const auto nodes = gauss_lobatto(size.nodes).points, points = gauss(size.points).points;
    for (const Symmetry symmetry : {Symmetry::even, Symmetry::odd}) {
      const Matrix matrix = symmetry == Symmetry::even ? interpolation_matrix(nodes, points)
                                                       : derivative_matrix(nodes, points);
      const int rows = matrix.rows, columns = matrix.columns;
      const auto a = packed(matrix, symmetry, true);
      REQUIRE(static_cast<int>(a.size()) == coefficients(rows, columns, symmetry, true));
      std::vector<long double> in(columns), even(rows), odd(rows);
      for (int c = 0; c < columns; ++c) in[c] = std::sin(1.0L + c * c);
      std::size_t next = 0;
      for (int c = 0; c < columns / 2; ++c) {
        const long double other = in[columns - 1 - c];
        for (int r = 0; r < even_rows(rows, symmetry); ++r) even[r] += a[next++] * (in[c] + other);
        for (int r = 0; r < odd_rows(rows, symmetry); ++r) odd[r] += a[next++] * (in[c] - other);
      }
      if (columns % 2 != 0)
        for (int r = 0; r < even_rows(rows, symmetry); ++r) even[r] += a[next++] * in[columns / 2];
      CHECK(next == a.size());
      for (int r = 0; r < (rows + 1) / 2; ++r) {
        long double low = 0, high = 0;
        for (int c = 0; c < columns; ++c) {
          low += matrix(r, c) * in[c];
          high += matrix(rows - 1 - r, c) * in[c];
        }
        CHECK(std::abs(even[r] + odd[r] - low) < 1e-15L);
        const long double mirrored =
            symmetry == Symmetry::even ? even[r] - odd[r] : odd[r] - even[r];
        CHECK(std::abs(mirrored - high) < 1e-15L);
      }
    }
  }
}

TEST_CASE("is a matrix without decomposition packed column by column?") {
  const Matrix matrix{2, 3, {1, 2, 3, 4, 5, 6}};
  CHECK(packed(matrix, Symmetry::even, false) == std::vector<long double>{1, 4, 2, 5, 3, 6});
}
