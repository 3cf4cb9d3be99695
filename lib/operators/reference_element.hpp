// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Nodes, quadrature points and the one-dimensional matrices of an operator.
#pragma once

#include "operators/element_operator.hpp"
#include "operators/lagrange_basis.hpp"
#include "operators/quadrature_rule.hpp"

namespace hpclab::operators {

struct ReferenceElement {
  QuadratureRule nodes;   ///< degree + 1 Gauss-Lobatto points
  QuadratureRule points;  ///< the nodes for collocated kinds, else `quadrature` Gauss points
  Matrix values;          ///< points x nodes
  Matrix derivatives;     ///< points x nodes
  Matrix collocated;      ///< points x points: derivatives of polynomials given at the points
};

/// UsageError as require_valid.
ReferenceElement reference_element(const ElementOperator& element_operator);

}  // namespace hpclab::operators
