// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The numbers that describe the shape of a batch's elements, in the order in which the kernels of
// CpuOperator read them.
#pragma once

#include "operators/hex_geometry.hpp"
#include "operators/reference_element.hpp"
#include "operators/vector_layout.hpp"

#include <cstdint>

namespace hpclab::operators {

/// Numbers that a batch takes. For the lanes of each register in turn: stored [point][6][lane]
/// (mass [point][lane]), trilinear [corner][3][lane], affine [6][lane] (mass [lane]).
std::int64_t geometry_entries(const ElementOperator& element_operator);

/// Writes batches; holds references to what it is made from.
class GeometryWriter {
 public:
  GeometryWriter(const ElementOperator& element_operator, const HexMesh& mesh,
                 const VectorLayout& layout, int register_lanes);
  /// All lanes of a batch; those without an element get a unit cube, or zeros. CaseFailed for
  /// elements that are folded, or with affine geometry no parallelepipeds.
  template <typename T>
  void write(std::int64_t batch, T* to) const;

 private:
  /// The numbers of one element in turn, each register_lanes apart in memory.
  template <typename T>
  void write_element(std::int64_t element, T* to) const;

  ElementOperator operator_;
  const HexMesh& mesh_;
  const VectorLayout& layout_;
  int register_lanes_;
  ReferenceElement reference_;
};

}  // namespace hpclab::operators
