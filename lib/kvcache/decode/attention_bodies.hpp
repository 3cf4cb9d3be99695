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

#include "kvcache/decode/attention_values.hpp"

#include <cstddef>
#include <cstdint>

namespace hpclab::kvcache::decode {
namespace {

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
