// hpclab: SPDX-License-Identifier: Apache-2.0
//
// 16 floats in two registers; 4 queries of sums in half of the 16 registers.
#include "kvcache/decode/attention_bodies.hpp"

#include <immintrin.h>

namespace hpclab::kvcache::decode {
namespace {

struct Two {
  __m256 low, high;
};

struct Vector {
  using Register = Two;
  using Line = __m256i;
  static constexpr int most_queries = 4;

  static Two load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  static void store(float* p, Two x) {
    _mm256_storeu_ps(p, x.low);
    _mm256_storeu_ps(p + 8, x.high);
  }
  static Two broadcast(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
  static Two add(Two x, Two y) {
    return {_mm256_add_ps(x.low, y.low), _mm256_add_ps(x.high, y.high)};
  }
  static Two multiply(Two x, Two y) {
    return {_mm256_mul_ps(x.low, y.low), _mm256_mul_ps(x.high, y.high)};
  }
  static Two multiply_add(Two x, Two y, Two z) {
    return {_mm256_fmadd_ps(x.low, y.low, z.low), _mm256_fmadd_ps(x.high, y.high, z.high)};
  }
  static Two largest(Two x, Two y) {
    return {_mm256_max_ps(x.low, y.low), _mm256_max_ps(x.high, y.high)};
  }
  static float highest(Two x) {
    const __m256 a = _mm256_max_ps(x.low, x.high);
    __m128 b = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_max_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_max_ss(b, _mm_shuffle_ps(b, b, 1)));
  }
  static float total(Two x) {
    const __m256 a = _mm256_add_ps(x.low, x.high);
    __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_add_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_add_ss(b, _mm_shuffle_ps(b, b, 1)));
  }

  // AVX2 alone has no conversion of halves: exponent and fraction as of a float 2^112 times
  // smaller, times that; exact, also for subnormals.
  static __m256 halves(__m128i x) {
    const __m256i wide = _mm256_cvtepu16_epi32(x);
    const __m256i sign = _mm256_slli_epi32(_mm256_and_si256(wide, _mm256_set1_epi32(0x8000)), 16);
    const __m256i rest = _mm256_slli_epi32(_mm256_and_si256(wide, _mm256_set1_epi32(0x7fff)), 13);
    const __m256 scaled = _mm256_mul_ps(_mm256_castsi256_ps(rest), _mm256_set1_ps(0x1p112f));
    return _mm256_or_ps(scaled, _mm256_castsi256_ps(sign));
  }
  static Two from_half(const std::byte* p) {
    return {halves(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))),
            halves(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16)))};
  }
  static Two from_int8(const std::byte* p) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return {_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(x)),
            _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(x, 8)))};
  }
  static __m256i line(const std::byte* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static Two even_bfloats(const std::byte* p) {
    return {_mm256_castsi256_ps(_mm256_slli_epi32(line(p), 16)),
            _mm256_castsi256_ps(_mm256_slli_epi32(line(p + 32), 16))};
  }
  static Two odd_bfloats(const std::byte* p) {
    const __m256i mask = _mm256_set1_epi32(static_cast<int>(0xffff0000u));
    return {_mm256_castsi256_ps(_mm256_and_si256(line(p), mask)),
            _mm256_castsi256_ps(_mm256_and_si256(line(p + 32), mask))};
  }

  static __m256 exp2_half(__m256 x) {
    const __m256 least = _mm256_set1_ps(-126.0f);
    const __m256 inside = _mm256_cmp_ps(x, least, _CMP_GE_OQ);
    const __m256 clamped = _mm256_max_ps(x, least);
    const __m256 whole = _mm256_round_ps(clamped, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m256 f = _mm256_sub_ps(clamped, whole);
    __m256 y = _mm256_set1_ps(exp2_coefficients[0]);
#pragma GCC unroll 8
    for (int i = 1; i < 7; ++i) {
      y = _mm256_fmadd_ps(y, f, _mm256_set1_ps(exp2_coefficients[i]));
    }
    const __m256i power =
        _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(whole), _mm256_set1_epi32(127)), 23);
    return _mm256_and_ps(_mm256_mul_ps(y, _mm256_castsi256_ps(power)), inside);
  }
  /// 2^x for x <= 0, within 3e-7; 0 below 2^-126.
  static Two exp2(Two x) {
    return {exp2_half(x.low), exp2_half(x.high)};
  }
  static float exp2_of(float x) {
    return _mm256_cvtss_f32(exp2_half(_mm256_set1_ps(x)));
  }

  static void read_line(const std::byte* p, __m256i& sum) {
    sum = _mm256_xor_si256(sum, _mm256_xor_si256(line(p), line(p + 32)));
  }
  static std::uint64_t fold(__m256i sum) {
    alignas(32) std::uint64_t x[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(x), sum);
    return x[0] + x[1] + x[2] + x[3];
  }
};

}  // namespace

const AttentionBodies attention_bodies_avx2 = HPCLAB_ATTENTION_BODIES(Vector);

}  // namespace hpclab::kvcache::decode
