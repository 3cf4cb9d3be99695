// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Checks a fast kernel's result on sampled patches of elements before it is timed.
#pragma once

#include "operators/element_operator.hpp"
#include "operators/hex_mesh.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace hpclab::roofline::operator_ {

/// Number at node (i, j, k) of an element, of the input or the output vector.
using NodeValue = std::function<double(std::int64_t element, int i, int j, int k)>;

struct Verified {
  std::size_t nodes = 0;       ///< compared
  double largest_error = 0;    ///< over the largest number expected
  double tolerated_error = 0;  ///< from rounding
};

/// Around each of the given elements a patch of up to 2 x 2 x 2 (assembled vectors) or the element
/// itself is evaluated directly, and the nodes to which no element outside adds are compared.
/// Throws CaseFailed, naming the error, when one differs by more than rounding explains.
Verified verify(const operators::ElementOperator& element_operator, const operators::HexMesh& mesh,
                const std::vector<std::int64_t>& elements, const NodeValue& in,
                const NodeValue& out);

}  // namespace hpclab::roofline::operator_
