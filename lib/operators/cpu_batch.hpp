// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What the kernels of CpuOperator are given. No standard header beyond <cstdint>: this is included
// where wider instructions than the caller's CPU may be generated.
#pragma once

#include <cstdint>

namespace hpclab::operators {

inline constexpr int most_points = 14;  ///< nodes or points a direction

/// Sizes that passes of vector registers are compiled for, at most; larger ones are read at run
/// time. The sanitizers make the compiler's work of each size many times longer, so that their
/// builds compile the small ones only.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int largest_compiled_size = 5;
#else
inline constexpr int largest_compiled_size = most_points;
#endif
inline constexpr int most_lanes = 16;

/// Nodes of a batch that a group of the assembled vector owns: for some lanes of the batch the
/// owner lies in this group.
struct GroupLink {
  std::int32_t in_base;    ///< entry of the group's first node and lane in the input
  std::int32_t out_base;   ///< the same in the output, or in the part's halo
  std::int32_t stride[3];  ///< entries between nodes along x, y, z; 0 where the relation has one
  std::uint8_t in_halo;    ///< the output group belongs to another part: add to the halo
  std::uint8_t group_lane[most_lanes];  ///< batch lane l reads and adds to this lane of the group
  std::uint8_t batch_lane[most_lanes];  ///< the inverse
  std::uint16_t batch_lanes;            ///< batch lanes that are linked, one bit each
  std::uint16_t group_lanes;            ///< lanes of the group that are linked
};

/// Relations between an element and the owners of the nodes on its high sides: bit 0 x, 1 y, 2 z;
/// 0 is the element itself.
inline constexpr int relations = 8;

/// A range of output entries that the batch is the first to touch.
struct ZeroRange {
  std::int32_t base;
  std::int32_t vectors;  ///< of `lanes` entries
  std::uint8_t in_halo;
  std::uint8_t low_sides_only;  ///< own nodes of a batch: those that others add to
};

inline constexpr int cache_line_bytes = 64;

/// Memory that later batches will use: `runs` of contiguous cache lines, `stride` bytes apart.
struct FetchRange {
  const char* start;
  std::int32_t cache_lines;  ///< of each run; 0 marks the end of a list
  std::int32_t runs;
  std::int32_t stride;
};

/// Where fetching of a list of ranges stands.
struct Fetching {
  const char* at = nullptr;
  std::int32_t left = 0;  ///< cache lines of this run
  std::int32_t rate = 0;  ///< cache lines that are fetched with every line that is contracted
  std::int32_t run = 0;
  const FetchRange* range = nullptr;

  void begin_next() {
    if (++run == range->runs) {
      ++range;
      run = 0;
    }
    at = range->start + static_cast<std::int64_t>(run) * range->stride;
    left = range->cache_lines;
    if (left == 0) rate = 0;
  }
};

/// One-dimensional matrices, row-major, or packed by even_odd_packed().
template <typename T>
struct Tables {
  const T* to_points;        ///< points x nodes: values
  const T* to_nodes;         ///< its transpose
  const T* gradient;         ///< points x points: derivatives
  const T* gradient_t;       ///< its transpose
  const T* node_gradient;    ///< points x nodes: derivatives
  const T* node_gradient_t;  ///< its transpose
  const T* weights;          ///< quadrature weights
  const T* points;           ///< quadrature points in [-1, 1]
};

/// One batch, or as many of its lanes as a register has, on its way through the passes.
template <typename T>
struct Batch {
  int nodes;       ///< n a direction
  int points;      ///< q a direction
  int lanes;       ///< of a batch in memory
  int first_lane;  ///< of those that are worked on
  std::int64_t number;
  const T* in;
  T* out;
  T* halo;
  const T* geometry;           ///< of these lanes
  const T* mass_factors;       ///< the same, or g[0] after the pass that computes them
  const GroupLink* links;      ///< of relations 1, 2, ... in turn
  const std::uint8_t* counts;  ///< links of each relation
  const ZeroRange* zero;
  int zero_count;
  Fetching fetching;
  const Tables<T>* tables;
  T* u;      ///< nodes, or points: [k][j][i] with padded planes
  T* v;      ///< between nodes and points
  T* w;      ///< the same, for 18 sweeps
  T* g[3];   ///< gradient at points
  T* plane;  ///< one plane
};

template <typename T>
using Pass = void (*)(Batch<T>& batch);

/// Vectors between planes of m x m: one more where that avoids planes that are a multiple of 512 B
/// apart, which would share few sets of the first-level cache.
constexpr int plane_stride(int m) {
  return m * m + (m * m % 8 == 0 ? 1 : 0);
}

}  // namespace hpclab::operators
