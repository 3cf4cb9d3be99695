// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Paged decode attention. A block works through the spans that the schedule gave it (a persistent
// grid: shares are equal however lengths differ), its warps through tiles of the span in turn.
// Lanes divide the elements of a row; each warp has a softmax of its own, and the block merges them
// through shared memory at the end of a span.
#pragma once

#include "cuda/core/low_precision.cuh"
#include "cuda/core/port.cuh"
#include "cuda/core/vector_types.hpp"
#include "cuda/kvcache/decode/arguments.hpp"

#include <math.h>
#include <string.h>

namespace hpclab::kvcache::decode {

namespace device = hpclab::cuda;

struct Bfloat16 {};
struct Half16 {};

constexpr float gpu_lowest_score = -3.0e38f;
constexpr int block_warps = block_threads / 32;

HPCLAB_DEVICE float float_of_word(std::uint32_t bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

HPCLAB_DEVICE void unpack(Bfloat16, std::uint32_t pair, float& low, float& high) {
  low = float_of_word(pair << 16);
  high = float_of_word(pair & 0xffff0000u);
}
// Exponent and fraction as of a float 2^112 times smaller, times that: exact.
HPCLAB_DEVICE float float_of_half(std::uint32_t x) {
  const float scaled = float_of_word((x & 0x7fffu) << 13) * 0x1p112f;
  return (x & 0x8000u) != 0 ? -scaled : scaled;
}
HPCLAB_DEVICE void unpack(Half16, std::uint32_t pair, float& low, float& high) {
#if defined(__CUDACC__)
  __half2 both;
  memcpy(&both, &pair, 4);
  low = __low2float(both);
  high = __high2float(both);
#else
  low = float_of_half(pair & 0xffffu);
  high = float_of_half(pair >> 16);
#endif
}

/// Row of a token: pages hold [kv_head][page_tokens] rows.
HPCLAB_DEVICE std::uint64_t row_of(const SpanLaunch& s, const GpuSpan& span, int token) {
  const std::int32_t page = s.tables[s.table_begin[span.sequence] + token / s.page_tokens];
  return (static_cast<std::uint64_t>(page) * static_cast<unsigned>(s.kv_heads) +
          static_cast<unsigned>(span.kv_head)) *
             static_cast<unsigned>(s.page_tokens) +
         static_cast<unsigned>(token % s.page_tokens);
}

/// key_words and value_words are 32-bit words of a row for each lane: dim / 64.
template <class Element, int key_words, int value_words>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(block_threads, 2) span_kernel(SpanLaunch s) {
  constexpr int G = block_queries;
  constexpr int value_dim = value_words * 64;
  HPCLAB_SHARED(float, warp_sums, [block_warps * G * value_dim]);
  HPCLAB_SHARED(float, warp_maxima, [block_warps * G]);
  HPCLAB_SHARED(float, warp_totals, [block_warps * G]);
  const int warp = static_cast<int>(device::thread_index().x) / 32;
  const int lane = static_cast<int>(device::thread_index().x) % 32;
  const int block = static_cast<int>(device::block_index().x);
  for (int i = s.span_begin[block]; i < s.span_begin[block + 1]; ++i) {
    const GpuSpan span = s.spans[i];
    float query[G][2 * key_words];
    HPCLAB_UNROLL
    for (int g = 0; g < G; ++g) {
      const float* q = s.queries + static_cast<std::uint64_t>(span.sequence * s.query_heads +
                                                              span.first_query + g) *
                                       (key_words * 64);
      HPCLAB_UNROLL
      for (int k = 0; k < key_words; ++k) {
        const int d = 2 * (lane + 32 * k);
        query[g][2 * k] = g < span.queries ? q[d] * s.scale : 0.0f;
        query[g][2 * k + 1] = g < span.queries ? q[d + 1] * s.scale : 0.0f;
      }
    }
    float sum[G][2 * value_words];
    float maximum[G];
    float total[G];
    HPCLAB_UNROLL
    for (int g = 0; g < G; ++g) {
      maximum[g] = gpu_lowest_score;
      total[g] = 0;
      HPCLAB_UNROLL
      for (int k = 0; k < 2 * value_words; ++k) sum[g][k] = 0;
    }
    for (int begin = warp * warp_tokens; begin < span.tokens; begin += block_warps * warp_tokens) {
      float score[warp_tokens][G];
      std::uint64_t rows[warp_tokens];
      HPCLAB_UNROLL
      for (int t = 0; t < warp_tokens; ++t) {
        // Tokens beyond the end repeat the last one, without weight.
        const int at = begin + t < span.tokens ? begin + t : span.tokens - 1;
        rows[t] = row_of(s, span, span.first_token + at);
        const std::uint32_t* key = s.keys + rows[t] * (key_words * 32) + lane;
        HPCLAB_UNROLL
        for (int g = 0; g < G; ++g) score[t][g] = 0;
        HPCLAB_UNROLL
        for (int k = 0; k < key_words; ++k) {
          float low, high;
          unpack(Element{}, key[32 * k], low, high);
          HPCLAB_UNROLL
          for (int g = 0; g < G; ++g)
            score[t][g] += query[g][2 * k] * low + query[g][2 * k + 1] * high;
        }
      }
      HPCLAB_UNROLL
      for (int t = 0; t < warp_tokens; ++t) {
        HPCLAB_UNROLL
        for (int g = 0; g < G; ++g) {
          HPCLAB_UNROLL
          for (int bits = 16; bits > 0; bits /= 2)
            score[t][g] += device::shuffle_xor(device::full_mask, score[t][g], bits);
          if (begin + t >= span.tokens) score[t][g] = gpu_lowest_score;
        }
      }
      HPCLAB_UNROLL
      for (int g = 0; g < G; ++g) {
        float highest = maximum[g];
        HPCLAB_UNROLL
        for (int t = 0; t < warp_tokens; ++t) highest = fmaxf(highest, score[t][g]);
        const float shrink = exp2f(maximum[g] - highest);
        maximum[g] = highest;
        total[g] *= shrink;
        HPCLAB_UNROLL
        for (int k = 0; k < 2 * value_words; ++k) sum[g][k] *= shrink;
        HPCLAB_UNROLL
        for (int t = 0; t < warp_tokens; ++t) {
          score[t][g] = exp2f(score[t][g] - highest);
          total[g] += score[t][g];
        }
      }
      HPCLAB_UNROLL
      for (int t = 0; t < warp_tokens; ++t) {
        const std::uint32_t* value =
            s.values + rows[t] * static_cast<unsigned>(s.value_row_words) + lane;
        HPCLAB_UNROLL
        for (int k = 0; k < value_words; ++k) {
          float low, high;
          unpack(Element{}, value[32 * k], low, high);
          HPCLAB_UNROLL
          for (int g = 0; g < G; ++g) {
            sum[g][2 * k] += score[t][g] * low;
            sum[g][2 * k + 1] += score[t][g] * high;
          }
        }
      }
    }
    HPCLAB_UNROLL
    for (int g = 0; g < G; ++g) {
      float* const to = warp_sums + (warp * G + g) * value_dim;
      HPCLAB_UNROLL
      for (int k = 0; k < value_words; ++k) {
        to[2 * (lane + 32 * k)] = sum[g][2 * k];
        to[2 * (lane + 32 * k) + 1] = sum[g][2 * k + 1];
      }
      if (lane == 0) {
        warp_maxima[warp * G + g] = maximum[g];
        warp_totals[warp * G + g] = total[g];
      }
    }
    device::sync_block();
    const int slot_row = span.slot * G;
    for (int at = static_cast<int>(device::thread_index().x); at < G * value_dim;
         at += block_threads) {
      const int g = at / value_dim;
      float highest = gpu_lowest_score;
      for (int w = 0; w < block_warps; ++w) highest = fmaxf(highest, warp_maxima[w * G + g]);
      float all = 0;
      for (int w = 0; w < block_warps; ++w) {
        all += warp_sums[w * G * value_dim + at] * exp2f(warp_maxima[w * G + g] - highest);
      }
      s.sums[static_cast<std::uint64_t>(slot_row) * value_dim + static_cast<unsigned>(at)] = all;
      if (at % value_dim == 0) {
        float weight = 0;
        for (int w = 0; w < block_warps; ++w)
          weight += warp_totals[w * G + g] * exp2f(warp_maxima[w * G + g] - highest);
        s.maxima[slot_row + g] = highest;
        s.totals[slot_row + g] = weight;
      }
    }
    device::sync_block();  // before the next span overwrites what is read here
  }
}

/// One block a merge; threads divide the elements.
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(block_threads, 1) merge_kernel(MergeLaunch m) {
  const GpuMerge merge = m.merges[device::block_index().x];
  for (int at = static_cast<int>(device::thread_index().x); at < merge.queries * m.value_dim;
       at += block_threads) {
    const int g = at / m.value_dim;
    const int first = merge.first_slot * block_queries + g;
    float highest = gpu_lowest_score;
    for (int i = 0; i < merge.slots; ++i)
      highest = fmaxf(highest, m.maxima[first + i * block_queries]);
    float total = 0;
    float sum = 0;
    for (int i = 0; i < merge.slots; ++i) {
      const int row = first + i * block_queries;
      const float share = exp2f(m.maxima[row] - highest);
      total += m.totals[row] * share;
      sum += m.sums[static_cast<std::uint64_t>(row) * static_cast<unsigned>(m.value_dim) +
                    static_cast<unsigned>(at % m.value_dim)] *
             share;
    }
    m.result[static_cast<std::uint64_t>(merge.first_row) * static_cast<unsigned>(m.value_dim) +
             static_cast<unsigned>(at)] = sum / total;
  }
}

HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(512, 1) read_kernel(ReadLaunch r) {
  const auto* words = reinterpret_cast<const device::Words4*>(r.words);
  const std::uint64_t thread =
      static_cast<std::uint64_t>(device::block_index().x) * device::block_size().x +
      device::thread_index().x;
  const std::uint64_t threads =
      static_cast<std::uint64_t>(device::grid_size().x) * device::block_size().x;
  std::uint32_t sum = 0;
  HPCLAB_UNROLL_BY(4)
  for (std::uint64_t i = thread; i < r.count / 4; i += threads) {
    const device::Words4 w = words[i];
    sum += w.x + w.y + w.z + w.w;
  }
  r.sums[thread] = sum;
}

using SpanKernelBody = void (*)(SpanLaunch);

/// The instances that exist, for device and emulator alike; null for any other.
HPCLAB_TABLE SpanKernelBody span_body_of(bool bfloat, int key_dim, int value_dim) {
  if (key_dim == 128 && value_dim == 128) {
    return bfloat ? &span_kernel<Bfloat16, 2, 2> : &span_kernel<Half16, 2, 2>;
  }
  if (key_dim == 576 && value_dim == 512) {
    return bfloat ? &span_kernel<Bfloat16, 9, 8> : &span_kernel<Half16, 9, 8>;
  }
  return nullptr;
}

}  // namespace hpclab::kvcache::decode
