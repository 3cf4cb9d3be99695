// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The node kernels that exist, for device and emulator alike; null for any other.
#pragma once

#include "cuda/operators/kernel_tables.hpp"
#include "cuda/operators/node.cuh"

namespace hpclab::operators {

template <class T, int nodes = smallest_degree + 1>
HPCLAB_TABLE ElementFunction<T> node_instance(const ElementInstance& instance) {
  if constexpr (nodes <= node_largest_degree + 1) {
    if (instance.nodes != nodes) return node_instance<T, nodes + 1>(instance);
    if (instance.sweeps == 18) return nullptr;
    if (instance.points == nodes && !instance.mass) return &node_kernel<T, nodes, nodes, false>;
    if (instance.points == nodes + 1) {
      return instance.mass ? &node_kernel<T, nodes, nodes + 1, true>
                           : &node_kernel<T, nodes, nodes + 1, false>;
    }
  }
  return nullptr;
}

}  // namespace hpclab::operators
