// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/lagrange_basis.hpp"

namespace hpclab::operators {
namespace {

// 1 / prod (x_i - x_j): scales the polynomial of node i to 1 at its node.
long double barycentric_weight(const std::vector<long double>& nodes, std::size_t i) {
  long double product = 1;
  for (std::size_t j = 0; j < nodes.size(); ++j)
    if (j != i) product *= nodes[i] - nodes[j];
  return 1 / product;
}

// prod (x - x_k) over all k except `i` and `j` (which may be equal).
long double product_without(const std::vector<long double>& nodes, std::size_t i, std::size_t j,
                            long double x) {
  long double product = 1;
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (k != i && k != j) product *= x - nodes[k];
  return product;
}

template <typename Entry>
Matrix fill(const std::vector<long double>& nodes, const std::vector<long double>& points,
            Entry entry) {
  Matrix matrix{static_cast<int>(points.size()), static_cast<int>(nodes.size()), {}};
  matrix.entries.resize(points.size() * nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const long double scale = barycentric_weight(nodes, i);
    for (std::size_t q = 0; q < points.size(); ++q)
      matrix(static_cast<int>(q), static_cast<int>(i)) = scale * entry(i, points[q]);
  }
  return matrix;
}

}  // namespace

Matrix Matrix::transposed() const {
  Matrix result{columns, rows, std::vector<long double>(entries.size())};
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) result(column, row) = (*this)(row, column);
  return result;
}

// Products, not the quotient of the barycentric formula: at a node that would be 0 / 0, and with at
// most 14 nodes the products cost nothing.
Matrix interpolation_matrix(const std::vector<long double>& nodes,
                            const std::vector<long double>& points) {
  return fill(nodes, points,
              [&](std::size_t i, long double x) { return product_without(nodes, i, i, x); });
}

Matrix derivative_matrix(const std::vector<long double>& nodes,
                         const std::vector<long double>& points) {
  return fill(nodes, points, [&](std::size_t i, long double x) {
    long double sum = 0;
    for (std::size_t j = 0; j < nodes.size(); ++j)
      if (j != i) sum += product_without(nodes, i, j, x);
    return sum;
  });
}

}  // namespace hpclab::operators
