// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Sizes of the node kernel. Read by nvcc and the host alike.
#pragma once

namespace hpclab::operators {

/// Threads of a block at most.
inline constexpr int node_block_threads = 512;

/// Degrees up to this have a node kernel.
inline constexpr int node_largest_degree = 4;

/// Cubes of points^3 words an element: values and another, or three of fluxes.
constexpr int node_cubes(bool mass) {
  return mass ? 2 : 4;
}

/// Words of the matrices before the cubes, whole wavefronts.
constexpr int node_matrix_words(int nodes, int points, bool mass, int word_bytes) {
  const int banks = 128 / word_bytes;
  const int words = (mass || points != nodes ? points * nodes : 0) + (mass ? 0 : points * points);
  return (words + banks - 1) / banks * banks;
}

}  // namespace hpclab::operators
