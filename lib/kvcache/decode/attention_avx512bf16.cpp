// hpclab: SPDX-License-Identifier: Apache-2.0
//
// bf16 by dot products of pairs (AVX512-BF16): pairs of dimensions in keys, of tokens in values.
// Queries are bf16 already; weights are rounded to bf16, their total is not.
#include "kvcache/decode/vector_avx512.hpp"

namespace hpclab::kvcache::decode {
namespace {

using Pairs = std::uint32_t;  // two bf16

[[gnu::always_inline]] inline __m512bh pairs_at(const std::byte* p) {
  return reinterpret_cast<__m512bh>(_mm512_loadu_si512(p));
}
[[gnu::always_inline]] inline __m512bh broadcast_pair(const Pairs* p) {
  return reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(*p)));
}

struct PairTiles {
  static constexpr CacheFormat format = CacheFormat::bf16;
  static constexpr int most_queries = 8;

  /// [dim/2][G] pairs; the upper halves of the floats, which are bf16.
  template <int G>
  static void pack(const float* queries, int key_dim, float* packed) {
    auto* out = reinterpret_cast<Pairs*>(packed);
    for (int d = 0; d < key_dim; d += 2) {
      for (int g = 0; g < G; ++g) {
        const auto low = __builtin_bit_cast(Pairs, queries[g * key_dim + d]);
        const auto high = __builtin_bit_cast(Pairs, queries[g * key_dim + d + 1]);
        out[d / 2 * G + g] = low >> 16 | (high & 0xffff0000u);
      }
    }
  }

  template <int G>
  static void run(const SpanArguments& s, const std::byte* keys, const std::byte* values, int first,
                  int valid, const float* queries, Fetch& fetch) {
    __m512 score[G];
    score_tile_of_pairs<G>(keys, reinterpret_cast<const Pairs*>(queries), s.key_dim, fetch, score);
    float shrink[G];
    weigh<Vector, G>(score, s.scale, valid, s.maxima + first, s.totals + first, shrink);
    alignas(64) Pairs plain[G][lanes / 2];
    for (int g = 0; g < G; ++g) {
      const __m256bh rounded = _mm512_cvtneps_pbh(score[g]);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(plain[g]), reinterpret_cast<__m256i>(rounded));
    }
    add_pairs<G>(values, s.value_dim, plain, shrink, s.sums + first * s.value_dim);
  }

 private:
  template <int G>
  [[gnu::always_inline]] static void score_tile_of_pairs(const std::byte* keys,
                                                         const Pairs* queries, int dim,
                                                         Fetch& fetch, __m512 (&score)[G]) {
    constexpr int ways = G >= 8 ? 1 : G >= 4 ? 2 : 4;
    __m512 sum[ways][G];
#pragma GCC unroll 4
    for (int w = 0; w < ways; ++w) {
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) sum[w][g] = _mm512_setzero_ps();
    }
    const int pairs = dim / 2;
    const auto step = [&](int i, __m512(&to)[G]) __attribute__((always_inline)) {
      const __m512bh k = pairs_at(keys + static_cast<std::size_t>(i) * 64);
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g)
        to[g] = _mm512_dpbf16_ps(to[g], k, broadcast_pair(queries + i * G + g));
      fetch.some();
    };
    int i = 0;
    for (; i + ways <= pairs; i += ways) {
#pragma GCC unroll 4
      for (int w = 0; w < ways; ++w) step(i + w, sum[w]);
    }
    for (; i < pairs; ++i) step(i, sum[0]);
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
      score[g] = sum[0][g];
#pragma GCC unroll 4
      for (int w = 1; w < ways; ++w) score[g] = _mm512_add_ps(score[g], sum[w][g]);
    }
  }

  template <int G, int wide>
  [[gnu::always_inline]] static void add_some(const std::byte* at, std::size_t row,
                                              const Pairs (&weights)[G][lanes / 2],
                                              const float* shrink, float* sums, int dim) {
    __m512 sum[wide][G];
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
#pragma GCC unroll 8
      for (int r = 0; r < wide; ++r) {
        sum[r][g] =
            _mm512_mul_ps(_mm512_loadu_ps(sums + g * dim + r * lanes), _mm512_set1_ps(shrink[g]));
      }
    }
#pragma GCC unroll 8
    for (int t = 0; t < lanes / 2; ++t) {
#pragma GCC unroll 8
      for (int r = 0; r < wide; ++r) {
        const __m512bh v =
            pairs_at(at + static_cast<std::size_t>(t) * row + static_cast<std::size_t>(r) * 64);
#pragma GCC unroll 8
        for (int g = 0; g < G; ++g)
          sum[r][g] = _mm512_dpbf16_ps(sum[r][g], v, broadcast_pair(&weights[g][t]));
      }
    }
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
#pragma GCC unroll 8
      for (int r = 0; r < wide; ++r) _mm512_storeu_ps(sums + g * dim + r * lanes, sum[r][g]);
    }
  }

  template <int G>
  [[gnu::always_inline]] static void add_pairs(const std::byte* values, int dim,
                                               const Pairs (&weights)[G][lanes / 2],
                                               const float* shrink, float* sums) {
    constexpr int wide = 8 / G;
    const std::size_t row = static_cast<std::size_t>(dim) * 4;
    int c = 0;
    for (; c + wide * lanes <= dim; c += wide * lanes) {
      add_some<G, wide>(values + static_cast<std::size_t>(c) * 4, row, weights, shrink, sums + c,
                        dim);
    }
    for (; c < dim; c += lanes) {
      add_some<G, 1>(values + static_cast<std::size_t>(c) * 4, row, weights, shrink, sums + c, dim);
    }
  }
};

}  // namespace

const SpanBody span_bf16_avx512bf16 = span_body<PairTiles>;

}  // namespace hpclab::kvcache::decode
