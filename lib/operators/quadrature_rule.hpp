// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Gauss and Gauss-Lobatto points on [-1, 1].
#pragma once

#include <vector>

namespace hpclab::operators {

/// Points in ascending order, exactly symmetric about 0, and their weights (sum 2). Extended
/// precision, so that rounding to fp64 happens once, at the end.
struct QuadratureRule {
  std::vector<long double> points;
  std::vector<long double> weights;
  int size() const { return static_cast<int>(points.size()); }
};

/// The `count` roots of the Legendre polynomial P_count: exact for degree 2 count - 1. UsageError
/// unless 1 <= count <= 64.
QuadratureRule gauss(int count);

/// -1, the roots of P'_{count-1}, and 1: exact for degree 2 count - 3. UsageError unless
/// 2 <= count <= 64.
QuadratureRule gauss_lobatto(int count);

}  // namespace hpclab::operators
