// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The slab kernels that exist, for device and emulator alike; null for any other.
#pragma once

#include "cuda/operators/kernel_tables.hpp"
#include "cuda/operators/slab.cuh"

namespace hpclab::operators {

template <class T, int nodes, Geometry geometry>
HPCLAB_TABLE ElementFunction<T> slab_of(const ElementInstance& instance) {
  constexpr int kind = static_cast<int>(geometry);
  if (!instance.matrix_in_registers) return &slab_kernel<T, nodes, false, kind>;
  if constexpr (slab_keeps_matrix(sizeof(T), nodes, geometry))
    return &slab_kernel<T, nodes, true, kind>;
  return nullptr;
}

template <class T, int nodes = slab_smallest_degree + 1>
HPCLAB_TABLE ElementFunction<T> slab_instance(const ElementInstance& instance) {
  if constexpr (nodes <= most_nodes) {
    if (instance.nodes != nodes) return slab_instance<T, nodes + 1>(instance);
    if (instance.mass || instance.points != nodes || instance.sweeps != 6) return nullptr;
    switch (instance.geometry) {
      case Geometry::stored:
        return slab_of<T, nodes, Geometry::stored>(instance);
      case Geometry::affine:
        return slab_of<T, nodes, Geometry::affine>(instance);
      case Geometry::trilinear:
        break;
    }
  }
  return nullptr;
}

}  // namespace hpclab::operators
