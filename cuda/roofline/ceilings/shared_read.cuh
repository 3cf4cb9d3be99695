// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Loads from shared memory with a chosen degree of bank conflict. Lane l starts at word l * ways:
// 32 banks of 4 bytes, so that `ways` lanes of a warp meet in each bank they use, in different
// rows.
#pragma once

#include "cuda/core/port.cuh"
#include "cuda/core/ptx.cuh"
#include "cuda/roofline/ceilings/arguments.hpp"

namespace hpclab::roofline::ceilings {

namespace device = hpclab::cuda;

HPCLAB_DEVICE std::uint32_t value_of(std::uint32_t word) {
  return word;
}
HPCLAB_DEVICE std::uint32_t value_of(Words4 v) {
  return v.x + v.y + v.z + v.w;
}
HPCLAB_DEVICE void make_word(std::uint32_t& word, std::uint32_t i) {
  word = shared_word(i);
}
HPCLAB_DEVICE void make_word(Words4& v, std::uint32_t i) {
  v = {shared_word(4 * i), shared_word(4 * i + 1), shared_word(4 * i + 2), shared_word(4 * i + 3)};
}

/// `Word` is 4 bytes with 1 to `most_ways` ways, or 16 bytes without conflicts (one way).
template <class Word, unsigned most_ways>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(1024, 1) shared_read_kernel(SharedRead s) {
  constexpr unsigned size = 32 * (most_ways + shared_read_rows + shared_read_unroll);
  HPCLAB_SHARED(Word, words, [size]);
  const unsigned thread = device::thread_index().x;
  for (unsigned i = thread; i < size; i += device::block_size().x) {
    make_word(words[i], i);
  }
  device::sync_block();
  const unsigned start = thread % 32 * s.ways;
  const unsigned warp = thread / 32;
  std::uint32_t sum = 0;
  for (std::uint32_t iteration = 0; iteration < s.iterations; ++iteration) {
    const Word* row = words + start + (iteration + warp) % shared_read_rows * 32;
    HPCLAB_UNROLL
    for (int k = 0; k < shared_read_unroll; ++k) {
      sum += value_of(row[k * 32]);
    }
  }
  s.out[device::block_index().x * device::block_size().x + thread] = sum;
}

HPCLAB_TABLE auto shared_read_body(int word_bytes) -> void (*)(SharedRead) {
  switch (word_bytes) {
    case 4:
      return &shared_read_kernel<std::uint32_t, 32>;
    case 16:
      return &shared_read_kernel<Words4, 1>;
    default:
      return nullptr;
  }
}

}  // namespace hpclab::roofline::ceilings
