// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One thread for each point of an element, many elements a block: for low degrees, where lines are
// too short to fill a thread. Values and matrices are in shared memory; global memory is reached in
// the order in which it lies. Contractions are dense.
#pragma once

#include "cuda/core/multiply_add.cuh"
#include "cuda/operators/element_access.cuh"
#include "cuda/operators/geometry.cuh"
#include "cuda/operators/node_shape.hpp"

namespace hpclab::operators {

namespace device = hpclab::cuda;

/// Dynamic shared memory: interpolation and derivative row by row, once a block; then
/// node_cubes(mass) cubes of points^3 an element. Mass by 6 sweeps, Laplacian by 6 where points =
/// nodes are the nodes, else by 12.
template <class T, int nodes, int points, bool mass>
struct NodeElement {
  static constexpr bool interpolates = mass || points != nodes;
  static constexpr int cube = points * points * points;
  static constexpr int plane = points * points;

  const ElementArguments<T>& a;
  const ElementMatrices<T>& m;
  ElementSlot<T> slot;
  int thread, i, j, k;
  T* interpolation;  ///< points x nodes
  T* derivative;     ///< points x points
  T* values;
  T* flux[3];

  HPCLAB_INLINE_DEVICE NodeElement(const ElementArguments<T>& arguments,
                                   const ElementMatrices<T>& matrices)
      : a(arguments),
        m(matrices),
        slot(arguments),
        thread(static_cast<int>(device::thread_index().x)),
        i(thread % points),
        j(thread / points % points),
        k(thread / plane),
        interpolation(device::dynamic_shared<T>()),
        derivative(interpolation + (interpolates ? points * nodes : 0)),
        values(device::dynamic_shared<T>() + node_matrix_words(nodes, points, mass, sizeof(T)) +
               node_cubes(mass) * cube * device::thread_index().y) {
    for (int f = 0; f < node_cubes(mass) - 1; ++f) flux[f] = values + (f + 1) * cube;
  }

  /// packed() lists columns; rows lie in shared memory.
  HPCLAB_INLINE_DEVICE void load_matrices() const {
    const int step = static_cast<int>(device::block_size().x * device::block_size().y);
    const int first = thread + static_cast<int>(device::block_size().x * device::thread_index().y);
    if constexpr (interpolates) {
      for (int at = first; at < points * nodes; at += step)
        interpolation[at] = m.values[at % nodes * points + at / nodes];
    }
    if constexpr (!mass) {
      constexpr int start = interpolates ? points * nodes : 0;
      for (int at = first; at < plane; at += step)
        derivative[at] = m.values[start + at % points * points + at / points];
    }
  }

  /// Sum over `terms` of matrix[row_step * t] * values[value_step * t].
  template <int terms, int matrix_step, int value_step>
  static HPCLAB_INLINE_DEVICE T sum_of(const T* matrix, const T* line) {
    T sum = 0;
    HPCLAB_UNROLL
    for (int t = 0; t < terms; ++t)
      sum = device::fused_multiply_add(matrix[matrix_step * t], line[value_step * t], sum);
    return sum;
  }

  HPCLAB_INLINE_DEVICE bool is_node() const { return i < nodes && j < nodes && k < nodes; }
  HPCLAB_INLINE_DEVICE int node() const { return i + nodes * (j + nodes * k); }

  /// The nodes' values to this thread's point.
  HPCLAB_INLINE_DEVICE T to_points() const {
    T* other = flux[0];
    const T* row_i = interpolation + nodes * i;
    if (j < nodes && k < nodes) other[thread] = sum_of<nodes, 1, 1>(row_i, values + thread - i);
    sync_element<cube>();
    const T* row_j = interpolation + nodes * j;
    if (k < nodes) values[thread] = sum_of<nodes, 1, points>(row_j, other + thread - points * j);
    sync_element<cube>();
    return sum_of<nodes, 1, plane>(interpolation + nodes * k, values + thread - plane * k);
  }

  /// The transpose: this thread's point to its node (0 where it has none). Begins behind a barrier.
  HPCLAB_INLINE_DEVICE T to_nodes(T value) const {
    T* other = flux[0];
    other[thread] = value;
    sync_element<cube>();
    if (k < nodes)
      values[thread] = sum_of<points, nodes, plane>(interpolation + k, other + thread - plane * k);
    sync_element<cube>();
    if (k < nodes && j < nodes)
      other[thread] =
          sum_of<points, nodes, points>(interpolation + j, values + thread - points * j);
    sync_element<cube>();
    return is_node() ? sum_of<points, nodes, 1>(interpolation + i, other + thread - i) : T(0);
  }

  /// The collocated Laplacian of what is in `values`. Begins behind a barrier.
  HPCLAB_INLINE_DEVICE T laplacian() const {
    T x = sum_of<points, 1, 1>(derivative + points * i, values + thread - i);
    T y = sum_of<points, 1, points>(derivative + points * j, values + thread - points * j);
    T z = sum_of<points, 1, plane>(derivative + points * k, values + thread - plane * k);
    if (slot.active) {
      with_point_line<T, points, false, any_geometry>(
          a, m, slot.element, i, j, [&](const auto& point) { point.apply(m, k, x, y, z); });
    }
    flux[0][thread] = x;
    flux[1][thread] = y;
    flux[2][thread] = z;
    sync_element<cube>();
    T sum = sum_of<points, points, 1>(derivative + i, flux[0] + thread - i);
    sum += sum_of<points, points, points>(derivative + j, flux[1] + thread - points * j);
    sum += sum_of<points, points, plane>(derivative + k, flux[2] + thread - plane * k);
    return sum;
  }

  HPCLAB_INLINE_DEVICE void apply() const {
    load_matrices();
    if (is_node()) values[thread] = slot.active ? load_node<nodes>(a, slot.element, node()) : T(0);
    device::sync_block();
    T value = 0;
    if constexpr (!interpolates) {
      value = laplacian();
    } else {
      value = to_points();
      if constexpr (mass) {
        if (slot.active) {
          with_point_line<T, points, true, any_geometry>(
              a, m, slot.element, i, j,
              [&](const auto& point) { value = point.apply(m, k, value); });
        }
      } else {
        sync_element<cube>();
        values[thread] = value;
        sync_element<cube>();
        value = laplacian();
        sync_element<cube>();
      }
      value = to_nodes(value);
    }
    if (slot.active && is_node()) put_node<nodes>(a, slot.element, node(), value);
  }
};

template <class T, int nodes, int points, bool mass>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(node_block_threads, 1)
    node_kernel(HPCLAB_CONSTANT_PARAMETER ElementArguments<T> a,
                HPCLAB_CONSTANT_PARAMETER ElementMatrices<T> m) {
  NodeElement<T, nodes, points, mass>(a, m).apply();
}

}  // namespace hpclab::operators
