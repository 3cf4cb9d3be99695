// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Contractions by the tensor cores' product of doubles: the matrix is the left operand, kept in
// registers by the whole warp; 8 lines of the element are the right one. One element a block.
// Collocated Laplacian by 6 sweeps, dense, fp64.
#pragma once

#include "cuda/core/ptx.cuh"
#include "cuda/operators/element_access.cuh"
#include "cuda/operators/geometry.cuh"
#include "cuda/operators/tensor_shape.hpp"

namespace hpclab::operators {

namespace device = hpclab::cuda;

template <class T, int nodes>
struct TensorElement {
  static constexpr int row = tensor_row(nodes);
  static constexpr int plane = tensor_plane(nodes);
  static constexpr int cube = plane * nodes;
  static constexpr int threads = tensor_threads(nodes);
  static constexpr int columns = nodes * nodes;
  static constexpr int row_tiles = (nodes + 7) / 8;
  static constexpr int steps = (nodes + 3) / 4;
  static constexpr int column_tiles = (columns + 7) / 8;

  /// The derivative or its transpose as left operand.
  struct Operand {
    double a[row_tiles][steps];

    HPCLAB_INLINE_DEVICE Operand(const ElementMatrices<T>& m, int lane, bool transposed) {
      HPCLAB_UNROLL
      for (int r = 0; r < row_tiles; ++r) {
        HPCLAB_UNROLL
        for (int s = 0; s < steps; ++s) {
          const int to = 8 * r + lane / 4, from = 4 * s + lane % 4;
          const bool inside = to < nodes && from < nodes;
          // packed() lists columns.
          const int at = transposed ? to * nodes + from : from * nodes + to;
          a[r][s] = inside ? static_cast<double>(m.values[at]) : 0.0;
        }
      }
    }
  };

  /// Where line `c` begins, of lines along x, y or z.
  template <int direction>
  static HPCLAB_INLINE_DEVICE int start_of(int c) {
    const int low = c % nodes, high = c / nodes;
    if (direction == 0) return row * low + plane * high;
    if (direction == 1) return low + plane * high;
    return low + row * high;
  }

  /// Contracts all lines of the direction; `from` and `to` may be the same cube.
  template <int direction>
  static HPCLAB_INLINE_DEVICE void sweep(const Operand& operand, const T* from, T* to, int thread) {
    constexpr int stride = direction == 0 ? 1 : direction == 1 ? row : plane;
    const int lane = thread % 32;
    for (int tile = thread / 32; tile < column_tiles; tile += threads / 32) {
      const int column = 8 * tile + lane / 4;
      const int start = start_of<direction>(column);
      double b[steps];
      HPCLAB_UNROLL
      for (int s = 0; s < steps; ++s) {
        const int i = 4 * s + lane % 4;
        b[s] = column < columns && i < nodes ? static_cast<double>(from[start + stride * i]) : 0.0;
      }
      device::sync_warp();  // other lanes write where this one has read
      const int left = 8 * tile + 2 * (lane % 4);
      const int left_start = start_of<direction>(left), right_start = start_of<direction>(left + 1);
      HPCLAB_UNROLL
      for (int r = 0; r < row_tiles; ++r) {
        device::Doubles2 c{0, 0};
        HPCLAB_UNROLL
        for (int s = 0; s < steps; ++s) device::multiply_add_8x8x4(c, operand.a[r][s], b[s]);
        const int i = 8 * r + lane / 4;
        if (i < nodes && left < columns) to[left_start + stride * i] = T(c.x);
        if (i < nodes && left + 1 < columns) to[right_start + stride * i] = T(c.y);
      }
    }
  }
};

/// Dynamic shared memory: tensor_cubes cubes. T is double.
template <class T, int nodes, int geometry>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(tensor_threads(nodes), 1)
    tensor_kernel(HPCLAB_CONSTANT_PARAMETER ElementArguments<T> a,
                  HPCLAB_CONSTANT_PARAMETER ElementMatrices<T> m) {
  using Element = TensorElement<T, nodes>;
  constexpr int columns = Element::columns;
  const ElementSlot<T> slot(a);  // always active: a block an element
  const int thread = static_cast<int>(device::thread_index().x);
  T* by_z = device::dynamic_shared<T>();  // and the values before
  T* by_x = by_z + Element::cube;
  T* by_y = by_x + Element::cube;

  // Two threads a column, one for even and one for odd planes.
  const int column = thread % columns;
  const int first = thread / columns;
  const int at = Element::template start_of<2>(column);
  if (first < 2) {
    HPCLAB_UNROLL
    for (int k = first; k < nodes; k += 2)
      by_z[at + Element::plane * k] = load_node<nodes>(a, slot.element, column + columns * k);
  }
  device::sync_block();
  {
    const typename Element::Operand derivative(m, thread % 32, false);
    Element::template sweep<0>(derivative, by_z, by_x, thread);
    Element::template sweep<1>(derivative, by_z, by_y, thread);
    device::sync_block();
    Element::template sweep<2>(derivative, by_z, by_z, thread);
  }
  device::sync_block();
  if (first < 2) {
    with_point_line<T, nodes, false, geometry>(a, m, slot.element, column % nodes, column / nodes,
                                               [&](const auto& point) {
                                                 HPCLAB_UNROLL
                                                 for (int k = first; k < nodes; k += 2) {
                                                   T x = by_x[at + Element::plane * k];
                                                   T y = by_y[at + Element::plane * k];
                                                   T z = by_z[at + Element::plane * k];
                                                   point.apply(m, k, x, y, z);
                                                   by_x[at + Element::plane * k] = x;
                                                   by_y[at + Element::plane * k] = y;
                                                   by_z[at + Element::plane * k] = z;
                                                 }
                                               });
  }
  device::sync_block();
  {
    const typename Element::Operand transposed(m, thread % 32, true);
    Element::template sweep<0>(transposed, by_x, by_x, thread);
    Element::template sweep<1>(transposed, by_y, by_y, thread);
    Element::template sweep<2>(transposed, by_z, by_z, thread);
  }
  device::sync_block();
  if (first < 2) {
    HPCLAB_UNROLL
    for (int k = first; k < nodes; k += 2) {
      const int here = at + Element::plane * k;
      put_node<nodes>(a, slot.element, column + columns * k, by_x[here] + by_y[here] + by_z[here]);
    }
  }
}

}  // namespace hpclab::operators
