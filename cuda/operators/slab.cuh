// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One thread for each column of an element: nodes^2 threads, each with its line along z in
// registers. Planes pass through shared memory one after the other, where derivatives along x and
// y read whole rows. Collocated Laplacian by 6 sweeps; the kernel of Nek5000's successors
// (Swirydowicz et al., Int. J. High Perform. Comput. Appl. 33, 2019).
#pragma once

#include "cuda/core/multiply_add.cuh"
#include "cuda/operators/element_access.cuh"
#include "cuda/operators/geometry.cuh"
#include "cuda/operators/slab_shape.hpp"

#include <type_traits>

namespace hpclab::operators {

namespace device = hpclab::cuda;

/// Element (i, a) of the derivative and of its transpose, from shared memory at every use.
template <class T, int nodes>
struct SharedMatrix {
  static constexpr int row = matrix_row(nodes);
  static constexpr int unroll = 4;  // more loads in flight would need registers that are not there
  const T* matrix;
  int i;

  HPCLAB_INLINE_DEVICE SharedMatrix(const T* shared, int index) : matrix(shared), i(index) {}
  HPCLAB_INLINE_DEVICE T forward(int a) const { return matrix[row * i + a]; }
  HPCLAB_INLINE_DEVICE T backward(int a) const { return matrix[row * a + i]; }
};

/// The same from registers, read once.
template <class T, int nodes>
struct RegisterMatrix {
  static constexpr int row = matrix_row(nodes);
  static constexpr int unroll = nodes;  // or it would not stay in registers
  T rows[nodes], columns[nodes];

  HPCLAB_INLINE_DEVICE RegisterMatrix(const T* shared, int i) {
    HPCLAB_UNROLL
    for (int a = 0; a < nodes; ++a) {
      rows[a] = shared[row * i + a];
      columns[a] = shared[row * a + i];
    }
  }
  HPCLAB_INLINE_DEVICE T forward(int a) const { return rows[a]; }
  HPCLAB_INLINE_DEVICE T backward(int a) const { return columns[a]; }
};

/// Dynamic shared memory: the derivative, rows of matrix_row(nodes), once a block; then
/// slab_planes planes of nodes^2 an element. Matrices are dense (not even_odd).
template <class T, int nodes, bool matrix_in_registers, int geometry>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(slab_block_threads, slab_resident_blocks)
    slab_kernel(HPCLAB_CONSTANT_PARAMETER ElementArguments<T> a,
                HPCLAB_CONSTANT_PARAMETER ElementMatrices<T> m) {
  constexpr int plane = nodes * nodes;
  constexpr int row = matrix_row(nodes);
  const ElementSlot<T> slot(a);
  const int thread = static_cast<int>(device::thread_index().x);
  const int y = static_cast<int>(device::thread_index().y);
  const int i = thread % nodes, j = thread / nodes;
  T* matrix = device::dynamic_shared<T>();
  T* values = matrix + slab_matrix_words(nodes, sizeof(T)) + slab_planes * plane * y;
  T* flux_x = values + plane;
  T* flux_y = flux_x + plane;
  // packed() lists columns; rows lie here.
  if (y == 0) matrix[row * i + j] = m.values[nodes * j + i];
  T line[nodes], sum[nodes];
  HPCLAB_UNROLL
  for (int k = 0; k < nodes; ++k) {
    line[k] = slot.active ? load_node<nodes>(a, slot.element, thread + plane * k) : T(0);
    sum[k] = 0;
  }
  device::sync_block();
  using Coefficients =
      std::conditional_t<matrix_in_registers, RegisterMatrix<T, nodes>, SharedMatrix<T, nodes>>;
  const Coefficients by_i(matrix, i), by_j(matrix, j);
  with_point_line<T, nodes, false, geometry>(a, m, slot.element, i, j, [&](const auto& point) {
    HPCLAB_UNROLL
    for (int k = 0; k < nodes; ++k) {
      values[thread] = line[k];
      device::sync_block();
      T x = 0, y_ = 0, z = 0;
      HPCLAB_UNROLL_BY(Coefficients::unroll)
      for (int b = 0; b < nodes; ++b) {
        x = device::fused_multiply_add(by_i.forward(b), values[nodes * j + b], x);
        y_ = device::fused_multiply_add(by_j.forward(b), values[nodes * b + i], y_);
      }
      HPCLAB_UNROLL
      for (int b = 0; b < nodes; ++b)
        z = device::fused_multiply_add(m.values[nodes * b + k], line[b], z);
      point.apply(m, k, x, y_, z);
      flux_x[thread] = x;
      flux_y[thread] = y_;
      device::sync_block();
      T back = sum[k];
      HPCLAB_UNROLL_BY(Coefficients::unroll)
      for (int b = 0; b < nodes; ++b) {
        back = device::fused_multiply_add(by_i.backward(b), flux_x[nodes * j + b], back);
        back = device::fused_multiply_add(by_j.backward(b), flux_y[nodes * b + i], back);
      }
      sum[k] = back;
      HPCLAB_UNROLL
      for (int b = 0; b < nodes; ++b)
        sum[b] = device::fused_multiply_add(m.values[nodes * b + k], z, sum[b]);
    }
  });
  if (!slot.active) return;
  HPCLAB_UNROLL
  for (int k = 0; k < nodes; ++k) put_node<nodes>(a, slot.element, thread + plane * k, sum[k]);
}

}  // namespace hpclab::operators
