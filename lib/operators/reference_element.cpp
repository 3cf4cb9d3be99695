// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/reference_element.hpp"

namespace hpclab::operators {

ReferenceElement reference_element(const ElementOperator& o) {
  require_valid(o);
  ReferenceElement element;
  element.nodes = gauss_lobatto(o.nodes());
  element.points = is_collocated(o.kind) ? element.nodes : gauss(o.quadrature);
  const auto &nodes = element.nodes.points, &points = element.points.points;
  element.values = interpolation_matrix(nodes, points);
  element.derivatives = derivative_matrix(nodes, points);
  element.collocated = derivative_matrix(points, points);
  return element;
}

}  // namespace hpclab::operators
