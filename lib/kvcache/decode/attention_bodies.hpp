// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Attention of one query position over a span of tiles, written once over a vector type. Each
// attention_*.cpp defines its `Vector` in an anonymous namespace and includes this file; everything
// here has internal linkage.
//
// Vector is 16 floats: Register, most_queries (that fit in registers), load, store, broadcast, add,
// multiply, multiply_add (x*y+z), largest, exp2, highest (over lanes), total (over lanes),
// from_half(p), from_int8(p), even_bfloats(p), odd_bfloats(p) (of 16 pairs), read_line(p).
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

/// Weights [tiles][G][16] to [tiles][16][G], those of q8_0 times the scales of dimensions `c` on.
template <typename V, CacheFormat format, int G>
[[gnu::always_inline]] inline void lay_weights(const Round& round, int dim, int c,
                                               const float* plain, float* weights) {
  float scaled[lanes];
  for (int i = 0; i < round.tiles; ++i) {
    typename V::Register scale = V::broadcast(1);
    if constexpr (format == CacheFormat::q8_0) {
      scale = V::from_half(round.values[i] + dim * lanes + c / scale_elements * 2 * lanes);
    }
    for (int g = 0; g < G; ++g) {
      V::store(scaled, V::multiply(V::load(plain + (i * G + g) * lanes), scale));
      for (int t = 0; t < lanes; ++t) weights[(i * lanes + t) * G + g] = scaled[t];
    }
  }
}

/// Dimensions c to c + 16 wide of sums [G][dim]: sums * shrink + weights x values.
template <typename V, CacheFormat format, int G, int wide>
[[gnu::always_inline]] inline void add_some(Round& round, int dim, int c, const float* weights,
                                            const float* shrink, float* sums) {
  constexpr std::size_t size = element_bytes<format>();
  constexpr std::size_t across = (format == CacheFormat::bf16 ? 2 : 1) * lanes * size;
  const std::size_t row = static_cast<std::size_t>(dim) * size;
  typename V::Register sum[wide][G];
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
    for (int r = 0; r < wide; ++r)
      sum[r][g] = V::multiply(V::load(sums + g * dim + c + r * lanes), V::broadcast(shrink[g]));
  }
  for (int i = 0; i < round.tiles; ++i) {
    const std::byte* from = round.values[i] + static_cast<std::size_t>(c / lanes) * across;
    const float* w = weights + i * lanes * G;
    for (int t = 0; t < lanes; t += 2, from += 2 * row, w += 2 * G) {
#pragma GCC unroll 4
      for (int r = 0; r < wide; ++r) {
        typename V::Register a, b;
        load_two<V, format>(from + static_cast<std::size_t>(r) * across, row, a, b);
#pragma GCC unroll 8
        for (int g = 0; g < G; ++g) {
          sum[r][g] = V::multiply_add(a, V::broadcast(w[g]), sum[r][g]);
          sum[r][g] = V::multiply_add(b, V::broadcast(w[G + g]), sum[r][g]);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
    for (int r = 0; r < wide; ++r) V::store(sums + g * dim + c + r * lanes, sum[r][g]);
  }
}

/// The values of latent attention are keys: turned once a tile, as every query needs them.
template <CacheFormat format>
inline void turn_keys(const std::byte* keys, int value_dim, std::byte* values) {
  if constexpr (format == CacheFormat::bf16) {
    const auto* in = reinterpret_cast<const std::uint32_t*>(keys);
    auto* out = reinterpret_cast<std::uint32_t*>(values);
    for (int d = 0; d < value_dim; d += 2) {
      for (int t = 0; t < lanes; t += 2) {
        const std::uint32_t a = in[d / 2 * lanes + t], b = in[d / 2 * lanes + t + 1];
        out[t / 2 * value_dim + d] = (a & 0xffffu) | b << 16;
        out[t / 2 * value_dim + d + 1] = a >> 16 | (b & 0xffff0000u);
      }
    }
  } else if constexpr (format != CacheFormat::q8_0) {
    constexpr std::size_t size = element_bytes<format>();
    for (int d = 0; d < value_dim; ++d) {
      for (int t = 0; t < lanes; ++t) {
        __builtin_memcpy(values + static_cast<std::size_t>(t * value_dim + d) * size,
                         keys + static_cast<std::size_t>(d * lanes + t) * size, size);
      }
    }
  }
}

/// While tile i of a head is scored, that of the next head is fetched, or of the first head of the
/// next round: heads lie side by side, so that memory is read in long runs.
[[gnu::always_inline]] inline void fetch_ahead(const SpanArguments& s, Round& round, int i) {
  const bool same = round.head + 1 < s.heads;
  const int next = round.first_tile + i + (same ? 0 : most_tiles);
  const bool more = next < s.first_tile + s.tiles;
  round.fetch_next(tile_address(s, same ? round.head + 1 : 0, more ? next : round.first_tile),
                   more ? s.tile_bytes : 0, s.key_dim / 2);
}

/// G of the queries over a round of tiles.
template <typename V, CacheFormat cache_format>
struct PlainTiles {
  static constexpr CacheFormat format = cache_format;
  static constexpr int most_queries = V::most_queries;

  /// [dim][G], so that what is broadcast one after another lies side by side.
  template <int G>
  static void pack(const float* queries, int key_dim, float* packed) {
    for (int d = 0; d < key_dim; ++d) {
      for (int g = 0; g < G; ++g) packed[d * G + g] = queries[g * key_dim + d];
    }
  }

  template <int G>
  static void run(const SpanArguments& s, Round& round, bool fetching, int first,
                  const float* queries) {
    alignas(64) float plain[most_tiles * G * lanes];
    alignas(64) float weights[most_tiles * G * lanes];
    float shrink[G];
    for (int i = 0; i < round.tiles; ++i) {
      if (fetching) fetch_ahead(s, round, i);
      score_tile<V, format, G>(round.keys[i], queries, s.key_dim, round, plain + i * G * lanes);
    }
    weigh<V, G>(round, s.scale, plain, s.maxima + first, s.totals + first, shrink);
    float* const sums = s.sums + first * s.value_dim;
    // As many dimensions at once as registers hold; in q8_0 no more than share a scale.
    constexpr int fitting = V::most_queries / G > 4 ? 4 : V::most_queries / G;
    constexpr int wide = format == CacheFormat::q8_0 && fitting > 2 ? 2 : fitting;
    int c = 0;
    for (; c + wide * lanes <= s.value_dim; c += wide * lanes) {
      if (c == 0 || (format == CacheFormat::q8_0 && c % scale_elements == 0))
        lay_weights<V, format, G>(round, s.value_dim, c, plain, weights);
      add_some<V, format, G, wide>(round, s.value_dim, c, weights, shrink, sums);
    }
    for (; c < s.value_dim; c += lanes) {
      if (c == 0) lay_weights<V, format, G>(round, s.value_dim, c, plain, weights);
      add_some<V, format, G, 1>(round, s.value_dim, c, weights, shrink, sums);
    }
  }
};

/// `run.operator()<G>(first)` for all queries: most_queries at a time, the rest by powers of 2.
template <int most, typename Run>
[[gnu::always_inline]] inline void in_groups(int count, Run run) {
  int first = 0;
  for (; count - first >= most; first += most) run.template operator()<most>(first);
  if constexpr (most >= 8) {
    if (count - first >= 4) {
      run.template operator()<4>(first);
      first += 4;
    }
  }
  if constexpr (most >= 4) {
    if (count - first >= 2) {
      run.template operator()<2>(first);
      first += 2;
    }
  }
  for (; first < count; ++first) run.template operator()<1>(first);
}

/// All queries of the span over all its tiles, most_tiles of every head before the next ones.
template <typename Tiles>
void span_body(const SpanArguments& given) {
  const SpanArguments s = given;  // stores cannot change a copy
  constexpr CacheFormat format = Tiles::format;
  const int rows = s.heads * s.query_count;
  float* const packed = s.scratch;
  auto* const turned = reinterpret_cast<std::byte*>(packed + rows * s.key_dim);
  for (int q = 0; q < rows; ++q) {
    s.maxima[q] = lowest_score;
    s.totals[q] = 0;
    for (int d = 0; d < s.value_dim; ++d) s.sums[q * s.value_dim + d] = 0;
  }
  for (int head = 0; head < s.heads; ++head) {
    in_groups<Tiles::most_queries>(s.query_count, [&]<int G>(int first) {
      const int row = head * s.query_count + first;
      Tiles::template pack<G>(s.queries + row * s.key_dim, s.key_dim, packed + row * s.key_dim);
    });
  }
  const int last = s.first_tile + s.tiles;
  const std::size_t key_bytes = tile_part_bytes(format, s.key_dim);
  for (int tile = s.first_tile; tile < last; tile += most_tiles) {
    Round round;
    round.first_tile = tile;
    round.tiles = last - tile < most_tiles ? last - tile : most_tiles;
    const int left = s.tokens - tile * lanes;
    round.tokens = left < round.tiles * lanes ? left : round.tiles * lanes;
    for (round.head = 0; round.head < s.heads; ++round.head) {
      for (int i = 0; i < round.tiles; ++i) {
        round.keys[i] = tile_address(s, round.head, tile + i);
        round.values[i] = round.keys[i] + key_bytes;
        if (!s.latent) continue;
        std::byte* const to =
            turned + static_cast<std::size_t>(i) * tile_part_bytes(format, s.value_dim);
        turn_keys<format>(round.keys[i], s.value_dim, to);
        round.values[i] = to;
      }
      in_groups<Tiles::most_queries>(s.query_count, [&]<int G>(int first) {
        const int row = round.head * s.query_count + first;
        Tiles::template run<G>(s, round, first == 0, row, packed + row * s.key_dim);
      });
    }
  }
}

template <typename V>
std::uint64_t read_body(const std::byte* memory, std::size_t bytes) {
  typename V::Line sum[4] = {};
  const std::size_t whole = bytes / 256 * 256;
  for (std::size_t i = 0; i < whole; i += 256) {
#pragma GCC unroll 4
    for (std::size_t u = 0; u < 4; ++u) V::read_line(memory + i + u * 64, sum[u]);
  }
  for (std::size_t i = whole; i < bytes; i += 64) V::read_line(memory + i, sum[0]);
  std::uint64_t all = 0;
  for (const auto& one : sum) all ^= V::fold(one);
  return all;
}

}  // namespace
}  // namespace hpclab::kvcache::decode

#define HPCLAB_ATTENTION_BODIES(V)                                                              \
  {                                                                                             \
    {span_body<PlainTiles<V, CacheFormat::fp32>>, span_body<PlainTiles<V, CacheFormat::fp16>>,  \
     span_body<PlainTiles<V, CacheFormat::bf16>>, span_body<PlainTiles<V, CacheFormat::q8_0>>}, \
        read_body<V>                                                                            \
  }
