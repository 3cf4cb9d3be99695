// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Sizes of the slab kernel. Read by nvcc and the host alike.
#pragma once

#include "operators/element_operator.hpp"

namespace hpclab::operators {

/// Threads of a block at most.
inline constexpr int slab_block_threads = 256;

/// Blocks of that many threads for which registers are limited: the compiler would otherwise load
/// so far ahead that it spills.
inline constexpr int slab_resident_blocks = 2;

/// Whether there is a kernel that keeps its rows and columns of the matrix in registers: not with
/// lines of doubles that leave no room for them.
constexpr bool slab_keeps_matrix(int word_bytes, int nodes, Geometry geometry) {
  return word_bytes == 4 || nodes <= (geometry == Geometry::stored ? 8 : 7);
}

/// Degrees from this on have a slab kernel, for stored and affine geometry.
inline constexpr int slab_smallest_degree = 3;

/// Planes of an element in shared memory: values and two fluxes.
inline constexpr int slab_planes = 3;

/// Words from row to row of a square matrix in shared memory: odd, so that neighbouring threads,
/// which read neighbouring rows, meet in no bank.
constexpr int matrix_row(int nodes) {
  return nodes + 1 - nodes % 2;
}

/// Words that the matrix takes, whole wavefronts.
constexpr int slab_matrix_words(int nodes, int word_bytes) {
  const int banks = 128 / word_bytes;
  return (nodes * matrix_row(nodes) + banks - 1) / banks * banks;
}

}  // namespace hpclab::operators
