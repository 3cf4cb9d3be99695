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
  static void run(const SpanArguments& s, Round& round, bool fetching, int first,
                  const float* queries) {
    alignas(64) float scores[most_tiles * G * lanes];
    alignas(64) Pairs weights[most_tiles][G][lanes / 2];
    float shrink[G];
    for (int i = 0; i < round.tiles; ++i) {
      if (fetching) fetch_ahead(s, round, i);
      score(round.keys[i], reinterpret_cast<const Pairs*>(queries), s.key_dim, round,
            scores + i * G * lanes, Count<G>{});
    }
    weigh<Vector, G>(round, s.scale, scores, s.maxima + first, s.totals + first, shrink);
    for (int i = 0; i < round.tiles; ++i) {
      for (int g = 0; g < G; ++g) {
        const __m256bh rounded = _mm512_cvtneps_pbh(Vector::load(scores + (i * G + g) * lanes));
        _mm256_store_si256(reinterpret_cast<__m256i*>(weights[i][g]),
                           reinterpret_cast<__m256i>(rounded));
      }
    }
    float* const sums = s.sums + first * s.value_dim;
    constexpr int wide = 8 / G;
    int c = 0;
    for (; c + wide * lanes <= s.value_dim; c += wide * lanes)
      add_some<G, wide>(round, s.value_dim, c, weights, shrink, sums);
    for (; c < s.value_dim; c += lanes)
      add_some<G, 1>(round, s.value_dim, c, weights, shrink, sums);
  }

 private:
  template <int G>
  struct Count {};

  template <int G>
  [[gnu::always_inline]] static void score(const std::byte* keys, const Pairs* queries, int dim,
                                           Round& round, float* scores, Count<G>) {
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
      round.fetch();
    };
    int i = 0;
    for (; i + ways <= pairs; i += ways) {
#pragma GCC unroll 4
      for (int w = 0; w < ways; ++w) step(i + w, sum[w]);
    }
    for (; i < pairs; ++i) step(i, sum[0]);
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
      __m512 all = sum[0][g];
#pragma GCC unroll 4
      for (int w = 1; w < ways; ++w) all = _mm512_add_ps(all, sum[w][g]);
      Vector::store(scores + g * lanes, all);
    }
  }

  template <int G, int wide>
  [[gnu::always_inline]] static void add_some(const Round& round, int dim, int c,
                                              const Pairs (&weights)[most_tiles][G][lanes / 2],
                                              const float* shrink, float* sums) {
    const std::size_t row = static_cast<std::size_t>(dim) * 4;
    __m512 sum[wide][G];
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
#pragma GCC unroll 8
      for (int r = 0; r < wide; ++r) {
        sum[r][g] =
            _mm512_mul_ps(Vector::load(sums + g * dim + c + r * lanes), _mm512_set1_ps(shrink[g]));
      }
    }
    for (int i = 0; i < round.tiles; ++i) {
      const std::byte* const from = round.values[i] + static_cast<std::size_t>(c) * 4;
#pragma GCC unroll 8
      for (int t = 0; t < lanes / 2; ++t) {
#pragma GCC unroll 8
        for (int r = 0; r < wide; ++r) {
          const __m512bh v =
              pairs_at(from + static_cast<std::size_t>(t) * row + static_cast<std::size_t>(r) * 64);
#pragma GCC unroll 8
          for (int g = 0; g < G; ++g)
            sum[r][g] = _mm512_dpbf16_ps(sum[r][g], v, broadcast_pair(&weights[i][g][t]));
        }
      }
    }
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
#pragma GCC unroll 8
      for (int r = 0; r < wide; ++r) Vector::store(sums + g * dim + c + r * lanes, sum[r][g]);
    }
  }
};

}  // namespace

const SpanBody span_bf16_avx512bf16 = span_body<PairTiles>;

}  // namespace hpclab::kvcache::decode
