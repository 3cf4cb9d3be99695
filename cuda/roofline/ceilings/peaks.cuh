// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Peak of the vector units: fused multiply-adds in independent chains, enough to cover the latency
// of the unit from one warp, and so many in a row that the loop around them costs under 2 %.
#pragma once

#include "cuda/core/low_precision.cuh"
#include "cuda/core/port.cuh"
#include "cuda/roofline/ceilings/arguments.hpp"

namespace hpclab::roofline::ceilings {

namespace device = hpclab::cuda;

template <class T>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(1024, 1) fma_kernel(FmaChains s) {
  const unsigned thread =
      device::block_index().x * device::block_size().x + device::thread_index().x;
  T multiplier, addend;
  device::set_pair(multiplier, s.multiplier, s.multiplier);
  device::set_pair(addend, s.addend, s.addend);
  T x[fma_chains];
  HPCLAB_UNROLL
  for (int chain = 0; chain < fma_chains; ++chain) {
    const auto c = static_cast<std::uint32_t>(chain);
    device::set_pair(x[chain], fma_start(thread, c), fma_start(thread, c + fma_chains));
  }
  // The body alone fills enough of the instruction cache.
  HPCLAB_NO_UNROLL
  for (std::uint32_t loop = 0; loop < s.loops; ++loop) {
    HPCLAB_UNROLL
    for (int round = 0; round < fma_rounds; ++round) {
      HPCLAB_UNROLL
      for (int chain = 0; chain < fma_chains; ++chain) {
        x[chain] = device::fused_multiply_add(x[chain], multiplier, addend);
      }
    }
  }
  double sum = 0;
  HPCLAB_UNROLL
  for (int chain = 0; chain < fma_chains; ++chain) {
    sum += device::sum_of(x[chain]);
  }
  s.out[thread] = sum;
}

HPCLAB_TABLE auto fma_body(Precision precision) -> void (*)(FmaChains) {
  switch (precision) {
    case Precision::fp64:
      return &fma_kernel<double>;
    case Precision::fp32:
      return &fma_kernel<float>;
    case Precision::fp16:
      return &fma_kernel<device::Half2>;
    case Precision::bf16:
      return &fma_kernel<device::Bfloat2>;
  }
  return nullptr;
}

}  // namespace hpclab::roofline::ceilings
