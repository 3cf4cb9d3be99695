// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Latencies: of dependent loads with several chains side by side, of a grid barrier, and of a
// launch.
#pragma once

#include "cuda/core/port.cuh"
#include "cuda/core/ptx.cuh"
#include "cuda/roofline/ceilings/arguments.hpp"

namespace hpclab::roofline::ceilings {

namespace device = hpclab::cuda;

/// Does nothing: what remains of its time is the launch.
HPCLAB_KERNEL void empty_kernel() {}

template <int chains>
HPCLAB_KERNEL void pointer_chase_kernel(PointerChase s) {
  const unsigned thread =
      device::block_index().x * device::block_size().x + device::thread_index().x;
  std::uint32_t at[chains];
  HPCLAB_UNROLL
  for (int chain = 0; chain < chains; ++chain) {
    at[chain] = s.starts[thread * chains + chain];
  }
  for (std::uint32_t step = 0; step < s.steps; ++step) {
    HPCLAB_UNROLL
    for (int chain = 0; chain < chains; ++chain) {
      at[chain] = device::load_past_l1(s.next + at[chain]);
    }
  }
  HPCLAB_UNROLL
  for (int chain = 0; chain < chains; ++chain) {
    s.ends[thread * chains + chain] = at[chain];
  }
}

/// Cooperative launch only. The result is in `a` after an even number of steps, else in `b`.
HPCLAB_KERNEL void grid_exchange_kernel(GridExchange s) {
  const unsigned thread =
      device::block_index().x * device::block_size().x + device::thread_index().x;
  const unsigned threads = device::grid_size().x * device::block_size().x;
  for (std::uint32_t step = 0; step < s.steps; ++step) {
    if (step > 0) {
      device::sync_grid();
    }
    const std::uint32_t* from = step % 2 == 0 ? s.a : s.b;
    std::uint32_t* to = step % 2 == 0 ? s.b : s.a;
    for (unsigned i = thread; i < s.size; i += threads) {
      to[i] = device::load_past_l1(from + (i + s.size - 1) % s.size) +
              device::load_past_l1(from + (i + 1) % s.size);
    }
  }
}

HPCLAB_TABLE auto pointer_chase_body(int chains) -> void (*)(PointerChase) {
  switch (chains) {
    case 1:
      return &pointer_chase_kernel<1>;
    case 2:
      return &pointer_chase_kernel<2>;
    case 4:
      return &pointer_chase_kernel<4>;
    case 8:
      return &pointer_chase_kernel<8>;
    default:
      return nullptr;
  }
}

}  // namespace hpclab::roofline::ceilings
