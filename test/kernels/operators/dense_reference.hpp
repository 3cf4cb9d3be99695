// hpclab: SPDX-License-Identifier: Apache-2.0
//
// An element operator by its definition, with any one-dimensional matrices: every component of the
// gradient is a product of three of them. With small whole numbers all sums are exact, so that
// results of kernels are compared exactly.
#pragma once

#include "cuda/operators/arguments.hpp"
#include "operators/element_operator.hpp"
#include "operators/even_odd.hpp"
#include "operators/lagrange_basis.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace hpclab::test {

using operators::ElementOperator;
using operators::Matrix;
using operators::Symmetry;

/// Whole even numbers with the symmetry that interpolation (even) or derivatives (odd) have.
inline Matrix whole_matrix(int rows, int columns, Symmetry symmetry, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Matrix matrix{rows, columns, std::vector<long double>(rows * columns)};
  const long double sign = symmetry == Symmetry::even ? 1 : -1;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const int mirror_r = rows - 1 - r, mirror_c = columns - 1 - c;
      if (r * columns + c <= mirror_r * columns + mirror_c) {
        matrix(r, c) = 2 * static_cast<int>(random() % 5) - 4;
        if (r == mirror_r && c == mirror_c && symmetry == Symmetry::odd) matrix(r, c) = 0;
        matrix(mirror_r, mirror_c) = sign * matrix(r, c);
      }
    }
  }
  return matrix;
}

/// The matrices of an operator in the sense of ReferenceElement, as whole numbers.
struct WholeMatrices {
  Matrix values, derivatives, collocated;

  WholeMatrices(int nodes, int points, std::uint64_t seed)
      : values(whole_matrix(points, nodes, Symmetry::even, seed)),
        derivatives(whole_matrix(points, nodes, Symmetry::odd, seed + 1)),
        collocated(whole_matrix(points, points, Symmetry::odd, seed + 2)) {}

  /// The three one-dimensional factors of gradient component `direction` (3: of the value) from
  /// nodes to points.
  std::array<Matrix, 3> factors(const ElementOperator& o, int direction) const {
    std::array<Matrix, 3> all;
    for (int d = 0; d < 3; ++d) {
      if (o.sweeps == 18) {
        all[d] = d == direction ? derivatives : values;
      } else if (is_mass(o.kind)) {
        all[d] = values;
      } else if (is_collocated(o.kind)) {
        all[d] = d == direction ? collocated : identity(values.rows);
      } else {
        all[d] = d == direction ? product(collocated, values) : values;
      }
    }
    return all;
  }

  /// As kernels read them.
  template <class T>
  operators::ElementMatrices<T> packed(const ElementOperator& o, bool even_odd) const {
    operators::ElementMatrices<T> result;
    std::size_t used = 0;
    const auto add = [&](const Matrix& matrix, Symmetry symmetry) {
      for (const long double a : operators::packed(matrix, symmetry, even_odd))
        result.values[used++] = static_cast<T>(a);
    };
    const bool mass = is_mass(o.kind);
    if (mass || o.sweeps != 6) add(values, Symmetry::even);
    if (!mass) add(o.sweeps == 18 ? derivatives : collocated, Symmetry::odd);
    for (int i = 0; i < values.rows; ++i) {
      result.points[i] = static_cast<T>(2 * i - values.rows + 1);  // any symmetric set
      result.weights[i] = static_cast<T>(1 + i % 2);
    }
    return result;
  }

 private:
  static Matrix identity(int size) {
    Matrix one{size, size, std::vector<long double>(size * size)};
    for (int i = 0; i < size; ++i) one(i, i) = 1;
    return one;
  }
  static Matrix product(const Matrix& a, const Matrix& b) {
    Matrix c{a.rows, b.columns, std::vector<long double>(a.rows * b.columns)};
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j < b.columns; ++j)
        for (int k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
  }
};

/// One direction of a cube of inputs^3 that grows to outputs: out = matrix in along it.
inline std::vector<double> apply_along(int direction, const Matrix& matrix,
                                       const std::vector<double>& in, std::array<int, 3>& extent) {
  std::array<int, 3> to = extent;
  to[direction] = matrix.rows;
  std::vector<double> out(static_cast<std::size_t>(to[0] * to[1] * to[2]));
  for (int k = 0; k < to[2]; ++k)
    for (int j = 0; j < to[1]; ++j)
      for (int i = 0; i < to[0]; ++i) {
        std::array<int, 3> at{i, j, k};
        const int row = at[direction];
        double sum = 0;
        for (int c = 0; c < matrix.columns; ++c) {
          at[direction] = c;
          sum += static_cast<double>(matrix(row, c)) *
                 in[at[0] + extent[0] * (at[1] + extent[1] * at[2])];
        }
        out[i + to[0] * (j + to[1] * k)] = sum;
      }
  extent = to;
  return out;
}

/// out (points^3) = factors in (nodes^3), or back by their transposes.
inline std::vector<double> apply_factors(const std::array<Matrix, 3>& factors,
                                         const std::vector<double>& in, bool transposed) {
  const int size = transposed ? factors[0].rows : factors[0].columns;
  std::array<int, 3> extent{size, size, size};
  std::vector<double> values = in;
  for (int d = 0; d < 3; ++d)
    values = apply_along(d, transposed ? factors[d].transposed() : factors[d], values, extent);
  return values;
}

/// One element; `metric(component, point)`: 6 numbers (rr rs rt ss st tt) a point, or 1 for mass.
template <class Metric>
std::vector<double> apply_by_definition(const ElementOperator& o, const WholeMatrices& matrices,
                                        const std::vector<double>& in, const Metric& metric) {
  if (is_mass(o.kind)) {
    const auto factors = matrices.factors(o, 3);
    std::vector<double> values = apply_factors(factors, in, false);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= metric(0, i);
    return apply_factors(factors, values, true);
  }
  std::array<std::vector<double>, 3> gradient;
  for (int d = 0; d < 3; ++d) gradient[d] = apply_factors(matrices.factors(o, d), in, false);
  constexpr int component[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  std::vector<double> sum(in.size());
  for (int d = 0; d < 3; ++d) {
    std::vector<double> flux(gradient[0].size());
    for (std::size_t i = 0; i < flux.size(); ++i)
      for (int e = 0; e < 3; ++e) flux[i] += metric(component[d][e], i) * gradient[e][i];
    const auto part = apply_factors(matrices.factors(o, d), flux, true);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  return sum;
}

}  // namespace hpclab::test
