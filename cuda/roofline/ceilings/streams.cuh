// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Streams through global memory: read, write, copy, triad, and mixes of reads and writes. Each
// thread has `unroll` independent 16-byte accesses in flight (Little: a device with 4.3 TB/s and
// 370 ns needs 1.6 MB under way).
#pragma once

#include "cuda/core/block_reduce.cuh"
#include "cuda/core/port.cuh"
#include "cuda/core/ptx.cuh"
#include "cuda/roofline/ceilings/arguments.hpp"

namespace hpclab::roofline::ceilings {

namespace device = hpclab::cuda;

/// Calls visit(first, whole) for each tile of blockDim * unroll vectors of this block; the thread's
/// vectors are first + k * blockDim, all inside the stream when `whole`.
template <int unroll, class Visit>
HPCLAB_DEVICE void for_each_tile(std::uint64_t vectors, std::uint32_t passes, Visit visit) {
  const std::uint64_t tile = std::uint64_t{device::block_size().x} * unroll;
  const unsigned blocks = device::grid_size().x;
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    const std::uint64_t share = (device::block_index().x + pass) % blocks;
    for (std::uint64_t start = share * tile; start < vectors; start += blocks * tile) {
      visit(start + device::thread_index().x, start + tile <= vectors);
    }
  }
}

HPCLAB_DEVICE std::uint32_t sum_of_words(Words4 v) {
  return v.x + v.y + v.z + v.w;
}

template <int unroll>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(1024, 1) read_kernel(WordStream s) {
  const unsigned stride = device::block_size().x;
  std::uint32_t sum = 0;
  for_each_tile<unroll>(s.vectors, s.passes, [&](std::uint64_t first, bool whole) {
    if (whole) {
      Words4 v[unroll];
      HPCLAB_UNROLL
      for (int k = 0; k < unroll; ++k) {
        v[k] = device::load_past_l1(s.in + first + k * stride);
      }
      HPCLAB_UNROLL
      for (int k = 0; k < unroll; ++k) {
        sum += sum_of_words(v[k]);
      }
    } else {
      for (std::uint64_t i = first; i < s.vectors; i += stride) {
        sum += sum_of_words(device::load_past_l1(s.in + i));
      }
    }
  });
  sum = device::block_sum(sum);
  if (device::thread_index().x == 0) {
    s.sums[device::block_index().x] = sum;
  }
}

template <int unroll>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(1024, 1) write_kernel(WordStream s) {
  const unsigned stride = device::block_size().x;
  for_each_tile<unroll>(s.vectors, s.passes, [&](std::uint64_t first, bool) {
    HPCLAB_UNROLL
    for (int k = 0; k < unroll; ++k) {
      const std::uint64_t i = first + k * stride;
      if (i < s.vectors) {
        device::store_past_l1(s.out + i, generated(i, s.seed));
      }
    }
  });
}

template <int unroll>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(1024, 1) copy_kernel(WordStream s) {
  const unsigned stride = device::block_size().x;
  for_each_tile<unroll>(s.vectors, s.passes, [&](std::uint64_t first, bool whole) {
    if (whole) {
      Words4 v[unroll];
      HPCLAB_UNROLL
      for (int k = 0; k < unroll; ++k) {
        v[k] = device::load_past_l1(s.in + first + k * stride);
      }
      HPCLAB_UNROLL
      for (int k = 0; k < unroll; ++k) {
        device::store_past_l1(s.out + first + k * stride, v[k]);
      }
    } else {
      for (std::uint64_t i = first; i < s.vectors; i += stride) {
        device::store_past_l1(s.out + i, device::load_past_l1(s.in + i));
      }
    }
  });
}

HPCLAB_DEVICE Doubles2 triad_of(Doubles2 b, double scale, Doubles2 c) {
  return {b.x + scale * c.x, b.y + scale * c.y};
}

template <int unroll>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(1024, 1) triad_kernel(TriadStream s) {
  const unsigned stride = device::block_size().x;
  for_each_tile<unroll>(s.vectors, s.passes, [&](std::uint64_t first, bool whole) {
    if (whole) {
      Doubles2 b[unroll], c[unroll];
      HPCLAB_UNROLL
      for (int k = 0; k < unroll; ++k) {
        b[k] = device::load_past_l1(s.b + first + k * stride);
        c[k] = device::load_past_l1(s.c + first + k * stride);
      }
      HPCLAB_UNROLL
      for (int k = 0; k < unroll; ++k) {
        device::store_past_l1(s.a + first + k * stride, triad_of(b[k], s.scale, c[k]));
      }
    } else {
      for (std::uint64_t i = first; i < s.vectors; i += stride) {
        device::store_past_l1(s.a + i, triad_of(device::load_past_l1(s.b + i), s.scale,
                                                device::load_past_l1(s.c + i)));
      }
    }
  });
}

/// Of every mix_vectors rows of a tile the first `reads` are read from `in`, the others written to
/// `out`.
template <int reads>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(1024, 1) mix_kernel(WordStream s) {
  const unsigned stride = device::block_size().x;
  std::uint32_t sum = 0;
  for_each_tile<mix_vectors>(s.vectors, s.passes, [&](std::uint64_t first, bool) {
    Words4 v[mix_vectors] = {};
    HPCLAB_UNROLL
    for (int k = 0; k < mix_vectors; ++k) {
      const std::uint64_t i = first + k * stride;
      if (i < s.vectors) {
        if (k < reads) {
          v[k] = device::load_past_l1(s.in + i);
        } else {
          device::store_past_l1(s.out + i, generated(i, s.seed));
        }
      }
    }
    HPCLAB_UNROLL
    for (int k = 0; k < reads; ++k) {
      sum += sum_of_words(v[k]);
    }
  });
  sum = device::block_sum(sum);
  if (device::thread_index().x == 0) {
    s.sums[device::block_index().x] = sum;
  }
}

// The instances that exist, for device and emulator alike; null for any other.
template <int unroll>
HPCLAB_TABLE auto word_stream_instance(StreamKind kind) -> void (*)(WordStream) {
  switch (kind) {
    case StreamKind::read:
      return &read_kernel<unroll>;
    case StreamKind::write:
      return &write_kernel<unroll>;
    case StreamKind::copy:
      return &copy_kernel<unroll>;
  }
  return nullptr;
}

HPCLAB_TABLE auto word_stream_body(StreamKind kind, int unroll) -> void (*)(WordStream) {
  switch (unroll) {
    case 1:
      return word_stream_instance<1>(kind);
    case 2:
      return word_stream_instance<2>(kind);
    case 4:
      return word_stream_instance<4>(kind);
    case 8:
      return word_stream_instance<8>(kind);
    default:
      return nullptr;
  }
}

HPCLAB_TABLE auto triad_body(int unroll) -> void (*)(TriadStream) {
  switch (unroll) {
    case 1:
      return &triad_kernel<1>;
    case 2:
      return &triad_kernel<2>;
    case 4:
      return &triad_kernel<4>;
    default:
      return nullptr;
  }
}

HPCLAB_TABLE auto mix_body(int reads) -> void (*)(WordStream) {
  constexpr void (*bodies[])(WordStream) = {&mix_kernel<0>, &mix_kernel<1>, &mix_kernel<2>,
                                            &mix_kernel<3>, &mix_kernel<4>, &mix_kernel<5>,
                                            &mix_kernel<6>, &mix_kernel<7>, &mix_kernel<8>};
  return reads >= 0 && reads <= mix_vectors ? bodies[reads] : nullptr;
}

}  // namespace hpclab::roofline::ceilings
