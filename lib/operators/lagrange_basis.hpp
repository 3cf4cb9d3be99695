// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Lagrange polynomials through given nodes, and their first derivatives, at given points.
#pragma once

#include <vector>

namespace hpclab::operators {

/// Row-major matrix of one-dimensional values: rows are points, columns are nodes.
struct Matrix {
  int rows = 0;
  int columns = 0;
  std::vector<long double> entries;
  long double operator()(int row, int column) const { return entries[row * columns + column]; }
  long double& operator()(int row, int column) { return entries[row * columns + column]; }
  Matrix transposed() const;
};

/// entry(q, i) = value of the Lagrange polynomial of node i at point q (barycentric form). The
/// nodes are distinct.
Matrix interpolation_matrix(const std::vector<long double>& nodes,
                            const std::vector<long double>& points);

/// entry(q, i) = derivative of the Lagrange polynomial of node i at point q. Its rows sum to zero
/// to rounding.
Matrix derivative_matrix(const std::vector<long double>& nodes,
                         const std::vector<long double>& points);

}  // namespace hpclab::operators
