// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What kernels read besides vectors, made on the host from a mesh. Element e of the mesh is element
// layout.slot(e) of the kernels, where `layout` has one lane.
#pragma once

#include "operators/element_operator.hpp"
#include "operators/hex_mesh.hpp"
#include "operators/vector_layout.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpclab::operators {

/// Geometry as ElementArguments says. Throws CaseFailed for elements that are folded, or that are
/// no parallelepipeds with affine geometry.
template <class T>
std::vector<T> element_geometry(const ElementOperator& element_operator, const HexMesh& mesh,
                                const VectorLayout& layout);

/// Numbers of one element in element_geometry().
std::size_t geometry_numbers(const ElementOperator& element_operator);

/// [element][n^3]: entries of the assembled vector.
std::vector<std::int32_t> node_map(const VectorLayout& layout);

/// Elements by colour, no two of which share a node: at most 8 lists, none empty.
std::vector<std::vector<std::uint32_t>> element_colours(const VectorLayout& layout);

/// For each entry of an assembled vector the places of its node in element vectors, ascending:
/// sources[begins[d]] to sources[begins[d + 1]].
struct NodeSources {
  std::vector<std::uint32_t> begins;
  std::vector<std::uint32_t> sources;
};
NodeSources node_sources(const std::vector<std::int32_t>& map, std::size_t entries);

}  // namespace hpclab::operators
