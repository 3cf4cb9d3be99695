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

[[gnu::always_inline]] inline const std::byte* tile_address(const SpanArguments& s, int tile) {
  return s.pool + static_cast<std::size_t>(s.pages[tile / s.page_tiles]) * s.page_bytes +
         s.head_bytes + static_cast<std::size_t>(tile % s.page_tiles) * s.tile_bytes;
}

/// Lines of the tile to come, fetched a few at a time while this one is worked on.
class Fetch {
 public:
  Fetch(const std::byte* next, std::size_t bytes, int steps)
      : at_(next),
        end_(next + bytes),
        stride_((bytes / 64 + static_cast<std::size_t>(steps)) / static_cast<std::size_t>(steps)) {}
  [[gnu::always_inline]] void some() {
    for (std::size_t i = 0; i < stride_ && at_ < end_; ++i, at_ += 64) __builtin_prefetch(at_);
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
  std::size_t stride_;
};

/// scores[q][16 tokens] of G queries; `queries` is [dim][G].
template <typename V, CacheFormat format, int G>
[[gnu::always_inline]] inline void score_tile(const std::byte* keys, const float* queries, int dim,
                                              Fetch& fetch, typename V::Register (&score)[G]) {
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
      fetch.some();
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
}

/// sums[g][dim] = sums * shrink[g] + weights x values; `weights` is [16 tokens][G] and, for q8_0,
/// rewritten for every group of dimensions from `plain` [G][16 tokens].
template <typename V, CacheFormat format, int G>
[[gnu::always_inline]] inline void add_values(const std::byte* values, int dim, const float* plain,
                                              float* weights, const float* shrink, float* sums) {
  // As many dimensions at once as registers hold.
  constexpr int wide = V::most_queries / G >= 4 ? 4 : V::most_queries / G >= 2 ? 2 : 1;
  constexpr std::size_t size = element_bytes<format>();
  const std::size_t row = static_cast<std::size_t>(dim) * size;
  const std::size_t two_rows = 2 * row;
  const std::size_t across = (format == CacheFormat::bf16 ? 2 : 1) * lanes * size;
  for (int c = 0; c < dim; c += wide * lanes) {
    const int registers = (dim - c) / lanes < wide ? (dim - c) / lanes : wide;
    if constexpr (format == CacheFormat::q8_0) {
      if (c % scale_elements == 0) {
        const typename V::Register scale = V::from_half(
            values + row * lanes + static_cast<std::size_t>(c / scale_elements) * 2 * lanes);
        float scaled[lanes];
        for (int g = 0; g < G; ++g) {
          V::store(scaled, V::multiply(V::load(plain + g * lanes), scale));
          for (int t = 0; t < lanes; ++t) weights[t * G + g] = scaled[t];
        }
      }
    }
    const std::byte* at = values + static_cast<std::size_t>(c / lanes) * across;
    const auto work = [&]<int count>() __attribute__((always_inline)) {
      typename V::Register sum[count][G];
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
        for (int r = 0; r < count; ++r) {
          sum[r][g] = V::multiply(V::load(sums + g * dim + c + r * lanes), V::broadcast(shrink[g]));
        }
      }
      for (int t = 0; t < lanes; t += 2) {
        const std::byte* from = at + static_cast<std::size_t>(t / 2) * two_rows;
#pragma GCC unroll 4
        for (int r = 0; r < count; ++r) {
          typename V::Register a, b;
          load_two<V, format>(from + static_cast<std::size_t>(r) * across, row, a, b);
#pragma GCC unroll 8
          for (int g = 0; g < G; ++g) {
            sum[r][g] = V::multiply_add(a, V::broadcast(weights[t * G + g]), sum[r][g]);
            sum[r][g] = V::multiply_add(b, V::broadcast(weights[(t + 1) * G + g]), sum[r][g]);
          }
        }
      }
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
        for (int r = 0; r < count; ++r) V::store(sums + g * dim + c + r * lanes, sum[r][g]);
      }
    };
    if (registers == wide) {
      work.template operator()<wide>();
    } else {
      for (int r = 0; r < registers; ++r, c += lanes, at += across) work.template operator()<1>();
      break;
    }
  }
}

/// Scores to weights relative to a running maximum: `score` becomes weights, `shrink` is what
/// earlier sums are multiplied with.
template <typename V, int G>
[[gnu::always_inline]] inline void weigh(typename V::Register (&score)[G], float scale, int valid,
                                         float* maxima, float* totals, float* shrink) {
  alignas(64) float numbers[lanes];
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) {
    typename V::Register s = V::multiply(score[g], V::broadcast(scale));
    if (valid < lanes) {
      V::store(numbers, s);
      for (int t = valid; t < lanes; ++t) numbers[t] = lowest_score;
      s = V::load(numbers);
    }
    const float before = maxima[g];
    const float highest = V::highest(s);
    const float maximum = highest > before ? highest : before;
    shrink[g] = maximum == before ? 1.0f : V::exp2_of(before - maximum);
    s = V::exp2(V::add(s, V::broadcast(-maximum)));
    maxima[g] = maximum;
    totals[g] = totals[g] * shrink[g] + V::total(s);
    score[g] = s;
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

/// G of the queries over one tile.
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
  static void run(const SpanArguments& s, const std::byte* keys, const std::byte* values, int first,
                  int valid, const float* queries, Fetch& fetch) {
    typename V::Register score[G];
    float shrink[G];
    alignas(64) float plain[G * lanes];
    alignas(64) float weights[G * lanes];
    score_tile<V, format, G>(keys, queries, s.key_dim, fetch, score);
    weigh<V, G>(score, s.scale, valid, s.maxima + first, s.totals + first, shrink);
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) V::store(plain + g * lanes, score[g]);
    if constexpr (format != CacheFormat::q8_0) {
      for (int t = 0; t < lanes; ++t) {
        for (int g = 0; g < G; ++g) weights[t * G + g] = plain[g * lanes + t];
      }
    }
    add_values<V, format, G>(values, s.value_dim, plain, weights, shrink,
                             s.sums + first * s.value_dim);
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

/// All queries of the span over all its tiles.
template <typename Tiles>
void span_body(const SpanArguments& given) {
  const SpanArguments s = given;  // stores cannot change a copy
  constexpr CacheFormat format = Tiles::format;
  float* const packed = s.scratch;
  auto* const turned = reinterpret_cast<std::byte*>(packed + s.query_count * s.key_dim);
  for (int q = 0; q < s.query_count; ++q) {
    s.maxima[q] = lowest_score;
    s.totals[q] = 0;
    for (int d = 0; d < s.value_dim; ++d) s.sums[q * s.value_dim + d] = 0;
  }
  in_groups<Tiles::most_queries>(s.query_count, [&]<int G>(int first) {
    Tiles::template pack<G>(s.queries + first * s.key_dim, s.key_dim, packed + first * s.key_dim);
  });
  const int last = s.first_tile + s.tiles;
  for (int tile = s.first_tile; tile < last; ++tile) {
    const bool more = tile + 1 < last;
    const std::byte* keys = tile_address(s, tile);
    const std::byte* values = keys + tile_part_bytes(format, s.key_dim);
    if (s.latent) {
      turn_keys<format>(keys, s.value_dim, turned);
      values = turned;
    }
    const int left = s.tokens - tile * lanes;
    const int valid = left < lanes ? left : lanes;
    Fetch fetch(tile_address(s, more ? tile + 1 : tile), more ? s.tile_bytes : 0, s.key_dim / 2);
    in_groups<Tiles::most_queries>(s.query_count, [&]<int G>(int first) {
      Tiles::template run<G>(s, keys, values, first, valid, packed + first * s.key_dim, fetch);
    });
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
