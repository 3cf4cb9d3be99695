// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Sizes of the tensor-core kernel. Read by nvcc and the host alike.
#pragma once

namespace hpclab::operators {

inline constexpr int tensor_smallest_degree = 7;  ///< below, padding to 8 rows wastes most

/// Threads of a block, which has one element: two for each column of nodes, in whole warps.
constexpr int tensor_threads(int nodes) {
  return (2 * nodes * nodes + 31) / 32 * 32;
}

/// Cubes of an element in shared memory.
inline constexpr int tensor_cubes = 3;

/// Words from row to row, and from plane to plane: 4 more than a multiple of 16, so that 4 columns
/// by 4 rows of an operand, which half a warp reads, lie in 16 different banks.
constexpr int four_past_sixteen(int least) {
  return (least + 11) / 16 * 16 + 4;
}
constexpr int tensor_row(int nodes) {
  return nodes <= 12 ? 12 : 20;
}
constexpr int tensor_plane(int nodes) {
  return four_past_sixteen(nodes * tensor_row(nodes));
}

}  // namespace hpclab::operators
