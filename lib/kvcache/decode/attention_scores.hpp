// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Scores of the tiles at work, and the weights that they become.
// See attention_bodies.hpp for Vector; everything here has internal linkage.
#pragma once

#include "kvcache/decode/attention_table.hpp"

#include <cstddef>
#include <cstdint>

namespace hpclab::kvcache::decode {
namespace {

constexpr int lanes = 16;
constexpr float lowest_score = -3.0e38f;

/// Of f^6 to f^0: 2^f for |f| <= 1/2 by interpolation at the zeros of a Chebyshev polynomial.
constexpr float exp2_coefficients[7] = {0.00015461444854736328f,
                                        0.0013400427997112274f,
                                        0.009618056938052177f,
                                        0.05550327152013779f,
                                        0.24022650718688965f,
                                        0.6931471824645996f,
                                        1.0f};

/// Two rows of 16 elements: those at `p`, and those `next` bytes behind; of bf16 both halves of the
/// pairs at `p`.
template <typename V, CacheFormat format>
[[gnu::always_inline]] inline void load_two(const std::byte* p, std::size_t next,
                                            typename V::Register& a, typename V::Register& b) {
  if constexpr (format == CacheFormat::fp32) {
    a = V::load(reinterpret_cast<const float*>(p));
    b = V::load(reinterpret_cast<const float*>(p + next));
  } else if constexpr (format == CacheFormat::fp16) {
    a = V::from_half(p);
    b = V::from_half(p + next);
  } else if constexpr (format == CacheFormat::bf16) {
    a = V::even_bfloats(p);
    b = V::odd_bfloats(p);
  } else {
    a = V::from_int8(p);
    b = V::from_int8(p + next);
  }
}

template <CacheFormat format>
constexpr std::size_t element_bytes() {
  return format == CacheFormat::fp32 ? 4 : format == CacheFormat::q8_0 ? 1 : 2;
}

[[gnu::always_inline]] inline const std::byte* tile_address(const SpanArguments& s, int head,
                                                            int tile) {
  return s.pool + static_cast<std::size_t>(s.pages[tile / s.page_tiles]) * s.page_bytes +
         static_cast<std::size_t>(head * s.page_tiles + tile % s.page_tiles) * s.tile_bytes;
}

/// Tiles that share one look at the maximum: its latency, and the sums' way to memory and back, are
/// paid once for all of them.
constexpr int most_tiles = 4;

/// The tiles at work, and those to come: of them, lines are fetched into L2 a few at a time, so
/// that no burst fills the queues. (Fetched into L1 they are half as fast on Zen 4.)
class Round {
 public:
  const std::byte* keys[most_tiles];
  const std::byte* values[most_tiles];
  int head = 0;
  int first_tile = 0;
  int tiles = 0;
  int tokens = 0;  ///< that count, of all tiles together

  void fetch_next(const std::byte* begin, std::size_t bytes, int steps) {
    at_ = begin;
    end_ = begin + bytes;
    stride_ = (bytes / 64 + static_cast<std::size_t>(steps) - 1) / static_cast<std::size_t>(steps);
  }
  [[gnu::always_inline]] void fetch() {
    for (std::size_t i = 0; i < stride_ && at_ < end_; ++i, at_ += 64)
      __builtin_prefetch(at_, 0, 2);
  }

 private:
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  std::size_t stride_ = 0;
};

/// scores[G][16 tokens]; `queries` is [dim][G].
template <typename V, CacheFormat format, int G>
[[gnu::always_inline]] inline void score_tile(const std::byte* keys, const float* queries, int dim,
                                              Round& round, float* scores) {
  typename V::Register score[G];
  constexpr std::size_t row = lanes * element_bytes<format>();
  constexpr int ways = G >= 4 ? 1 : 2;  // independent sums, for the latency of multiply-adds
  typename V::Register sum[2][G];
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) sum[0][g] = sum[1][g] = V::broadcast(0);
  const int group = format == CacheFormat::q8_0 ? scale_elements : dim;
  const std::byte* scales = keys + row * static_cast<std::size_t>(dim);
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) score[g] = V::broadcast(0);
  for (int begin = 0; begin < dim; begin += group) {
    for (int d = begin; d < begin + group; d += 2) {
      typename V::Register a, b;
      load_two<V, format>(keys + row * static_cast<std::size_t>(d), row, a, b);
      const float* q = queries + d * G;
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) {
        sum[0][g] = V::multiply_add(a, V::broadcast(q[g]), sum[0][g]);
        sum[ways - 1][g] = V::multiply_add(b, V::broadcast(q[G + g]), sum[ways - 1][g]);
      }
      round.fetch();
    }
    if constexpr (format == CacheFormat::q8_0) {
      const typename V::Register scale =
          V::from_half(scales + static_cast<std::size_t>(begin / scale_elements) * 2 * lanes);
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) {
        const auto both = ways == 2 ? V::add(sum[0][g], sum[1][g]) : sum[0][g];
        score[g] = V::multiply_add(both, scale, score[g]);
        sum[0][g] = sum[1][g] = V::broadcast(0);
      }
    }
  }
  if constexpr (format != CacheFormat::q8_0) {
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) score[g] = ways == 2 ? V::add(sum[0][g], sum[1][g]) : sum[0][g];
  }
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) V::store(scores + g * lanes, score[g]);
}

/// Scores [tiles][G][16] become weights relative to a running maximum; `shrink` is what earlier
/// sums are multiplied with.
template <typename V, int G>
[[gnu::always_inline]] inline void weigh(const Round& round, float scale, float* scores,
                                         float* maxima, float* totals, float* shrink) {
  const int last = round.tiles - 1;
  for (int t = round.tokens - last * lanes; t < lanes; ++t) {
    for (int g = 0; g < G; ++g) scores[(last * G + g) * lanes + t] = lowest_score;
  }
  const typename V::Register factor = V::broadcast(scale);
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) {
    float* const of_query = scores + g * lanes;
    typename V::Register most = V::load(of_query);
    for (int i = 1; i < round.tiles; ++i)
      most = V::largest(most, V::load(of_query + i * G * lanes));
    const float before = maxima[g];
    const float highest = V::highest(most) * scale;
    const float maximum = highest > before ? highest : before;
    shrink[g] = maximum == before ? 1.0f : V::exp2_of(before - maximum);
    maxima[g] = maximum;
    const typename V::Register less = V::broadcast(-maximum);
    typename V::Register total = V::broadcast(0);
    for (int i = 0; i < round.tiles; ++i) {
      float* const at = of_query + i * G * lanes;
      const typename V::Register weight = V::exp2(V::multiply_add(V::load(at), factor, less));
      V::store(at, weight);
      total = V::add(total, weight);
    }
    totals[g] = totals[g] * shrink[g] + V::total(total);
  }
}

}  // namespace
}  // namespace hpclab::kvcache::decode
