// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Read through a ring of tiles in shared memory filled by asynchronous copies: bytes in flight cost
// shared memory and no registers. Threads sum words that other threads copied, as operator kernels
// do with staged data.
#pragma once

#include "cuda/core/block_reduce.cuh"
#include "cuda/core/port.cuh"
#include "cuda/core/ptx.cuh"
#include "cuda/roofline/ceilings/arguments.hpp"

namespace hpclab::roofline::ceilings {

namespace device = hpclab::cuda;

/// Dynamic shared memory: stages * blockDim vectors.
template <int stages>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(1024, 1) staged_read_kernel(WordStream s) {
  static_assert(stages >= 2);
  Words4* ring = device::dynamic_shared<Words4>();
  const unsigned threads = device::block_size().x;
  const unsigned thread = device::thread_index().x;
  const std::uint64_t blocks = device::grid_size().x;
  const std::uint64_t tiles = (s.vectors + threads - 1) / threads;
  const std::uint64_t own_tiles = (tiles + blocks - 1 - device::block_index().x) / blocks;
  const std::uint64_t steps = own_tiles * s.passes;

  const auto issue = [&](std::uint64_t step) {
    if (step < steps) {
      const std::uint64_t tile = device::block_index().x + step % own_tiles * blocks;
      const std::uint64_t i = tile * threads + thread;
      const bool inside = i < s.vectors;  // the ring beyond the stream is zero, which adds nothing
      device::async_copy<16>(ring + step % stages * threads + thread, s.in + (inside ? i : 0),
                             inside ? 16u : 0u);
    }
  };
  for (int step = 0; step < stages - 1; ++step) {
    issue(step);
    device::async_copy_commit();
  }
  std::uint32_t sum = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    device::async_copy_wait<stages - 2>();
    // All copies of this step are visible to all, and the tile of the step before is free again.
    device::sync_block();
    issue(step + stages - 1);
    device::async_copy_commit();
    const auto* words = reinterpret_cast<const std::uint32_t*>(ring + step % stages * threads);
    HPCLAB_UNROLL
    for (unsigned k = 0; k < 4; ++k) {
      sum += words[k * threads + thread];
    }
  }
  sum = device::block_sum(sum);
  if (thread == 0) {
    s.sums[device::block_index().x] = sum;
  }
}

HPCLAB_TABLE auto staged_read_body(int stages) -> void (*)(WordStream) {
  switch (stages) {
    case 2:
      return &staged_read_kernel<2>;
    case 4:
      return &staged_read_kernel<4>;
    case 8:
      return &staged_read_kernel<8>;
    default:
      return nullptr;
  }
}

}  // namespace hpclab::roofline::ceilings
