// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/even_odd.hpp"

namespace hpclab::operators {

std::vector<long double> packed(const Matrix& matrix, Symmetry symmetry, bool even_odd) {
  if (!even_odd) return matrix.transposed().entries;
  std::vector<long double> result;
  const int last = matrix.columns - 1;
  const int evens = even_rows(matrix.rows, symmetry), odds = odd_rows(matrix.rows, symmetry);
  for (int c = 0; c < matrix.columns / 2; ++c) {
    for (int r = 0; r < evens; ++r) result.push_back((matrix(r, c) + matrix(r, last - c)) / 2);
    for (int r = 0; r < odds; ++r) result.push_back((matrix(r, c) - matrix(r, last - c)) / 2);
  }
  if (matrix.columns % 2 != 0)
    for (int r = 0; r < evens; ++r) result.push_back(matrix(r, matrix.columns / 2));
  return result;
}

}  // namespace hpclab::operators
