// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The tensor-core kernels that exist, for device and emulator alike; null for any other.
#pragma once

#include "cuda/operators/kernel_tables.hpp"
#include "cuda/operators/tensor.cuh"

namespace hpclab::operators {

template <int nodes = tensor_smallest_degree + 1>
HPCLAB_TABLE ElementFunction<double> tensor_instance(const ElementInstance& instance) {
  if constexpr (nodes <= most_nodes) {
    if (instance.nodes != nodes) return tensor_instance<nodes + 1>(instance);
    if (instance.mass || instance.points != nodes || instance.sweeps != 6) return nullptr;
    switch (instance.geometry) {
      case Geometry::stored:
        return &tensor_kernel<double, nodes, static_cast<int>(Geometry::stored)>;
      case Geometry::trilinear:
        return &tensor_kernel<double, nodes, static_cast<int>(Geometry::trilinear)>;
      case Geometry::affine:
        return &tensor_kernel<double, nodes, static_cast<int>(Geometry::affine)>;
    }
  }
  return nullptr;
}

}  // namespace hpclab::operators
