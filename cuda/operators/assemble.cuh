// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Sums element vectors into assembled ones: the second pass of an operator that neither colours its
// elements nor adds atomically. Every entry is one thread's, in a fixed order.
#pragma once

#include "cuda/core/port.cuh"
#include "cuda/operators/arguments.hpp"

namespace hpclab::operators {

namespace device = hpclab::cuda;

template <class T>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(256, 1) assemble_kernel(AssembleArguments<T> a) {
  const std::uint32_t entry =
      device::block_index().x * device::block_size().x + device::thread_index().x;
  if (entry >= a.entries) return;
  T sum = 0;
  for (std::uint32_t s = a.begins[entry]; s < a.begins[entry + 1]; ++s) sum += a.in[a.sources[s]];
  a.out[entry] = sum;
}

}  // namespace hpclab::operators
