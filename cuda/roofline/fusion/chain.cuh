// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A chain of elementwise operations in registers: each element is read once, goes through all steps
// of the launch, and is written once. Each thread has `unroll` vectors of 16 bytes under way.
#pragma once

#include "cuda/core/low_precision.cuh"
#include "cuda/core/port.cuh"
#include "cuda/roofline/fusion/arguments.hpp"

namespace hpclab::roofline::fusion {

namespace device = hpclab::cuda;

/// 16 bytes that one instruction moves.
template <class T>
struct alignas(16) Pack {
  static constexpr int lanes = static_cast<int>(16 / sizeof(T));
  T v[lanes];
};

template <class T>
HPCLAB_DEVICE T through_chain(const ChainLaunch<T>& c, std::uint64_t i) {
  T x = c.in[i];
  HPCLAB_NO_UNROLL
  for (int s = 0; s < c.count; ++s) {
    const int operand = c.steps[s].operand;
    const T addend = operand < 0 ? c.steps[s].shift : c.operands[operand][i];
    x = device::fused_multiply_add(x, c.steps[s].scale, addend);
  }
  return x;
}

template <class T, int unroll>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(512, 1) chain_kernel(ChainLaunch<T> c) {
  constexpr int lanes = Pack<T>::lanes;
  const std::uint64_t stride = device::block_size().x;
  const std::uint64_t vectors = c.elements / lanes;
  const std::uint64_t tile = stride * unroll;
  const auto* in = reinterpret_cast<const Pack<T>*>(c.in);
  auto* out = reinterpret_cast<Pack<T>*>(c.out);
  for (std::uint64_t start = device::block_index().x * tile; start < vectors;
       start += device::grid_size().x * tile) {
    const std::uint64_t first = start + device::thread_index().x;
    Pack<T> x[unroll];
    HPCLAB_UNROLL
    for (int k = 0; k < unroll; ++k) {
      const std::uint64_t i = first + k * stride;
      if (i < vectors) {
        x[k] = in[i];
      } else {
        x[k] = Pack<T>{};
      }
    }
    HPCLAB_NO_UNROLL
    for (int s = 0; s < c.count; ++s) {
      const T scale = c.steps[s].scale;
      const int operand = c.steps[s].operand;
      if (operand < 0) {
        const T shift = c.steps[s].shift;
        HPCLAB_UNROLL
        for (int k = 0; k < unroll; ++k) {
          HPCLAB_UNROLL
          for (int lane = 0; lane < lanes; ++lane) {
            x[k].v[lane] = device::fused_multiply_add(x[k].v[lane], scale, shift);
          }
        }
      } else {
        const auto* y = reinterpret_cast<const Pack<T>*>(c.operands[operand]);
        HPCLAB_UNROLL
        for (int k = 0; k < unroll; ++k) {
          const std::uint64_t i = first + k * stride;
          if (i < vectors) {
            const Pack<T> addend = y[i];
            HPCLAB_UNROLL
            for (int lane = 0; lane < lanes; ++lane) {
              x[k].v[lane] = device::fused_multiply_add(x[k].v[lane], scale, addend.v[lane]);
            }
          }
        }
      }
    }
    HPCLAB_UNROLL
    for (int k = 0; k < unroll; ++k) {
      const std::uint64_t i = first + k * stride;
      if (i < vectors) {
        out[i] = x[k];
      }
    }
  }
  // Elements that fill no vector.
  const std::uint64_t rest =
      vectors * lanes + device::block_index().x * stride + device::thread_index().x;
  if (rest < c.elements) {
    c.out[rest] = through_chain(c, rest);
  }
}

/// The instances that exist, for device and emulator alike; null for any other.
template <class T>
HPCLAB_TABLE auto chain_body(int unroll) -> void (*)(ChainLaunch<T>) {
  switch (unroll) {
    case 1:
      return &chain_kernel<T, 1>;
    case 2:
      return &chain_kernel<T, 2>;
    case 4:
      return &chain_kernel<T, 4>;
    default:
      return nullptr;
  }
}

}  // namespace hpclab::roofline::fusion
