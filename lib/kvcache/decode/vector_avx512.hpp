// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The vector type of the AVX-512 kernels. Internal linkage throughout.
#pragma once

#include "kvcache/decode/attention_bodies.hpp"

#include <immintrin.h>

// GCC's own header reads a variable that it never sets, to say "any value" (bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"

namespace hpclab::kvcache::decode {
namespace {

struct Vector {
  using Register = __m512;
  using Line = __m512i;
  static constexpr int most_queries = 8;

  static __m512 load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, __m512 x) { _mm512_storeu_ps(p, x); }
  static __m512 broadcast(float x) { return _mm512_set1_ps(x); }
  static __m512 add(__m512 x, __m512 y) { return _mm512_add_ps(x, y); }
  static __m512 multiply(__m512 x, __m512 y) { return _mm512_mul_ps(x, y); }
  static __m512 multiply_add(__m512 x, __m512 y, __m512 z) { return _mm512_fmadd_ps(x, y, z); }
  static __m512 largest(__m512 x, __m512 y) { return _mm512_max_ps(x, y); }
  static float highest(__m512 x) { return _mm512_reduce_max_ps(x); }
  static float total(__m512 x) { return _mm512_reduce_add_ps(x); }

  static __m512 from_half(const std::byte* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static __m512 from_int8(const std::byte* p) {
    return _mm512_cvtepi32_ps(
        _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static __m512 even_bfloats(const std::byte* p) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512(p), 16));
  }
  static __m512 odd_bfloats(const std::byte* p) {
    return _mm512_castsi512_ps(
        _mm512_and_si512(_mm512_loadu_si512(p), _mm512_set1_epi32(static_cast<int>(0xffff0000u))));
  }

  /// 2^x for x <= 0, within 3e-7; 0 where that is no normal number.
  static __m512 exp2(__m512 x) {
    const __m512 whole = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m512 f = _mm512_sub_ps(x, whole);
    __m512 y = _mm512_set1_ps(exp2_coefficients[0]);
#pragma GCC unroll 8
    for (int i = 1; i < 7; ++i) {
      y = _mm512_fmadd_ps(y, f, _mm512_set1_ps(exp2_coefficients[i]));
    }
    return _mm512_scalef_ps(y, whole);
  }
  static float exp2_of(float x) {
    return _mm512_cvtss_f32(exp2(_mm512_set1_ps(x)));
  }

  static void read_line(const std::byte* p, __m512i& sum) {
    sum = _mm512_xor_si512(sum, _mm512_load_si512(p));
  }
  static std::uint64_t fold(__m512i sum) {
    // The intrinsic for sums adds signed numbers, whose overflow is undefined.
    alignas(64) std::uint64_t words[8];
    _mm512_store_si512(words, sum);
    std::uint64_t all = 0;
    for (const std::uint64_t word : words) all += word;
    return all;
  }
};

}  // namespace
}  // namespace hpclab::kvcache::decode
