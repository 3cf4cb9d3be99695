// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A one-dimensional matrix in the order in which the kernels read it.
#pragma once

#include "operators/even_odd_shape.hpp"
#include "operators/lagrange_basis.hpp"

#include <vector>

namespace hpclab::operators {

/// Column by column; with `even_odd`, pair of columns by pair: (a[r][c] + a[r][C-1-c]) / 2 for the
/// even rows, then (a[r][c] - a[r][C-1-c]) / 2 for the odd rows, at last the even rows of a middle
/// column. The matrix must have the symmetry.
std::vector<long double> packed(const Matrix& matrix, Symmetry symmetry, bool even_odd);

}  // namespace hpclab::operators
