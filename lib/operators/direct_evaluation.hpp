// hpclab: SPDX-License-Identifier: Apache-2.0
//
// An operator on single elements by sums over quadrature points, without sum factorisation: slow,
// and independent of the fast kernels that are checked against it before they are timed.
#pragma once

#include "operators/element_operator.hpp"
#include "operators/hex_mesh.hpp"
#include "operators/reference_element.hpp"

#include <array>
#include <span>
#include <vector>

namespace hpclab::operators {

class DirectEvaluation {
 public:
  /// UsageError as require_valid.
  explicit DirectEvaluation(const ElementOperator& element_operator);

  /// A u on the element with these corners; node (i, j, k) is number i + n (j + n k), n = degree +
  /// 1. The metric is computed from the corners whatever the operator's geometry is.
  std::vector<double> apply(const std::array<Point, 8>& corners, std::span<const double> u) const;

 private:
  int nodes_;
  int points_;
  bool mass_;
  std::vector<double> at_, weights_;     ///< of points
  std::vector<double> values_, slopes_;  ///< [point][node]
};

}  // namespace hpclab::operators
