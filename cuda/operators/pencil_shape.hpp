// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Sizes of the pencil kernel. Read by nvcc and the host alike.
#pragma once

#include "cuda/operators/arguments.hpp"
#include "operators/element_operator.hpp"

namespace hpclab::operators {

/// Threads of a block at most.
inline constexpr int pencil_block_threads = 256;

/// Threads that the registers of a kernel must leave room for: more than a block has where the
/// compiler would otherwise load so far ahead that it spills.
constexpr int pencil_register_threads(int word_bytes, int points, int sweeps) {
  return word_bytes == 8 && sweeps == 18 && points <= 11 ? 320 : pencil_block_threads;
}

/// Whether contractions come by even and odd halves, or as dense ones. The textbook's 18 sweeps are
/// dense; the largest dense ones of doubles would spill.
constexpr bool pencil_exists(int word_bytes, int nodes, bool mass, int sweeps, Geometry geometry,
                             bool even_odd) {
  if (sweeps == 18) return !even_odd;
  const bool heavy = !mass && (sweeps == 12 || geometry == Geometry::trilinear);
  return even_odd || word_bytes < 8 || nodes < most_nodes || !heavy;
}

/// Cubes of an element in shared memory.
constexpr int pencil_cubes(bool mass) {
  return mass ? 1 : 2;
}

/// Blocks of pencil_block_threads for which a collocated kernel's registers may be limited without
/// spilling, as scripts/ptxas_golden proves; by nodes from 2.
constexpr int most_resident_blocks(int word_bytes, int nodes, Geometry geometry) {
  constexpr int fp64[3][most_nodes - 1] = {{8, 8, 8, 5, 5, 5, 4, 4, 3, 3, 2, 2},   // stored
                                           {4, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2},   // trilinear
                                           {6, 6, 6, 5, 5, 5, 4, 4, 3, 2, 2, 2}};  // affine
  constexpr int fp32[3][most_nodes - 1] = {{8, 8, 8, 8, 8, 8, 8, 8, 6, 6, 4, 3},
                                           {6, 5, 5, 5, 5, 5, 5, 5, 5, 4, 4, 4},
                                           {8, 8, 8, 8, 8, 8, 8, 8, 6, 6, 4, 3}};
  return (word_bytes == 8 ? fp64 : fp32)[static_cast<int>(geometry)][nodes - 2];
}

/// A block fewer, where that still makes a difference: 0 for none.
constexpr int fewer_resident_blocks(int word_bytes, int nodes, Geometry geometry) {
  const int most = most_resident_blocks(word_bytes, nodes, geometry);
  return word_bytes == 8 && nodes >= 5 && most >= 4 ? most - 1 : 0;
}

}  // namespace hpclab::operators
