// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Arguments of the kernels that apply an element operator. Plain data, the same for host, device
// and emulator. x runs fastest: node (i, j, k) of n^3 is i + n (j + n k).
#pragma once

#include "operators/element_operator.hpp"

#include <cstdint>

namespace hpclab::operators {

/// What becomes of the results of an element.
enum class NodeUpdate {
  store,       ///< written as an element vector, [element][n^3]
  add,         ///< added to the assembled vector; no two elements of the launch share a node
  atomic_add,  ///< added atomically to the assembled vector
};

/// One launch over `elements` elements.
///
/// Geometry, by kind; points (i, j, k) as nodes, metric times quadrature weight:
///   stored     Laplacian [element][6][q^3] with rr, rs, rt, ss, st, tt; mass [element][q^3]
///   trilinear  [element][3][8]: x, y, z of the corners a + 2 b + 4 c of [-1, 1]^3
///   affine     Laplacian [element][6], mass [element][1]: without the weight
template <class T>
struct ElementArguments {
  const T* in = nullptr;  ///< element vector, or assembled vector where there is a map
  T* out = nullptr;       ///< as `update` says
  const T* geometry = nullptr;
  const std::int32_t* map = nullptr;     ///< [element][n^3]: entry of the assembled vector
  const std::uint32_t* order = nullptr;  ///< elements of this launch; null: 0, 1, ...
  std::uint32_t elements = 0;
  NodeUpdate update = NodeUpdate::store;
  Geometry geometry_kind = Geometry::stored;
};

inline constexpr int most_nodes = largest_degree + 1;
inline constexpr int most_points = largest_quadrature;

/// The one-dimensional matrices of an operator, one behind the other without gaps, each in
/// the order of packed() in operators/even_odd.hpp:
///   mass, 6 sweeps             interpolation
///   Laplacian, 6 sweeps        derivative at the points
///   Laplacian, 12 sweeps       interpolation, derivative at the points
///   Laplacian, 18 sweeps       interpolation, derivative from nodes to points
template <class T>
struct ElementMatrices {
  T values[most_points * most_nodes + most_points * most_points] = {};
  T points[most_points] = {};   ///< quadrature points in [-1, 1]
  T weights[most_points] = {};  ///< of a direction
};

/// Sum of an element vector into an assembled vector, one thread an entry: entry d is the sum of
/// in[sources[s]] for s from begins[d] to begins[d + 1].
template <class T>
struct AssembleArguments {
  const T* in = nullptr;
  T* out = nullptr;
  const std::uint32_t* begins = nullptr;
  const std::uint32_t* sources = nullptr;
  std::uint32_t entries = 0;
};

}  // namespace hpclab::operators
