// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How many numbers an even-odd decomposed matrix has. No standard header: see cpu_batch.hpp.
#pragma once

namespace hpclab::operators {

/// Under reflection of nodes and points, entry [R-1-r][C-1-c] of a matrix is entry [r][c] (even:
/// values) or its negative (odd: derivatives).
enum class Symmetry { even, odd };

/// Rows that are computed from the sums in[c] + in[C-1-c], and from the differences.
constexpr int even_rows(int rows, Symmetry symmetry) {
  return symmetry == Symmetry::even ? (rows + 1) / 2 : rows / 2;
}
constexpr int odd_rows(int rows, Symmetry symmetry) {
  return symmetry == Symmetry::even ? rows / 2 : (rows + 1) / 2;
}

/// Length of the packed matrix, which is the number of multiply-adds of one line.
constexpr int coefficients(int rows, int columns, Symmetry symmetry, bool even_odd) {
  if (!even_odd) return rows * columns;
  return even_rows(rows, symmetry) * ((columns + 1) / 2) + odd_rows(rows, symmetry) * (columns / 2);
}

/// Whether the packed matrix stays in registers while lines are contracted with it, beside a line
/// and a few registers to work in.
constexpr bool fits_in_registers(int rows, int columns, Symmetry symmetry, bool even_odd,
                                 int registers) {
  constexpr int working = 4;
  const int line = rows > columns ? rows : columns;
  return coefficients(rows, columns, symmetry, even_odd) + line + working <= registers;
}

}  // namespace hpclab::operators
