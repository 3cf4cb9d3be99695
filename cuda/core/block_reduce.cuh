// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Sum over the threads of a block: shuffles within warps, one shared word for each warp between
// them.
#pragma once

#include "cuda/core/port.cuh"

namespace hpclab::cuda {

/// Sum of `value` over all lanes of a full warp; every lane gets it.
template <class T>
HPCLAB_DEVICE T warp_sum(T value) {
  HPCLAB_UNROLL
  for (int bits = 16; bits > 0; bits /= 2) {
    value += shuffle_xor(full_mask, value, bits);
  }
  return value;
}

/// Sum of `value` over the block; thread 0 gets it, the others get partial sums. All threads of a
/// one-dimensional block of whole warps call it, at most once for each T in a kernel: a second call
/// would need a barrier before it.
template <class T>
HPCLAB_DEVICE T block_sum(T value) {
  HPCLAB_SHARED(T, warp_sums, [32]);
  const unsigned warp = thread_index().x / 32;
  const unsigned lane = thread_index().x % 32;
  value = warp_sum(value);
  if (lane == 0) {
    warp_sums[warp] = value;
  }
  sync_block();
  if (warp == 0) {
    value = warp_sum(lane < block_size().x / 32 ? warp_sums[lane] : T{});
  }
  return value;
}

}  // namespace hpclab::cuda
