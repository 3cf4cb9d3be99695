// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Fused multiply-adds in 256-bit registers.
#include "roofline/ceilings/peak_bodies.hpp"

#include <immintrin.h>

namespace hpclab::roofline::ceilings {
namespace {

struct Avx2Double {
  using Register = __m256d;
  static constexpr int lanes = 4;
  static __m256d broadcast(double x) { return _mm256_set1_pd(x); }
  static __m256d first(int i) {
    return _mm256_add_pd(_mm256_set_pd(0.4, 0.3, 0.2, 0.1), _mm256_set1_pd(0.03 * i));
  }
  static __m256d multiply_add(__m256d x, __m256d y, __m256d z) { return _mm256_fmadd_pd(x, y, z); }
  static double sum(__m256d x) {
    alignas(32) double lane[lanes];
    _mm256_store_pd(lane, x);
    return sum_of(lane);
  }
};

struct Avx2Float {
  using Register = __m256;
  static constexpr int lanes = 8;
  static __m256 broadcast(double x) { return _mm256_set1_ps(static_cast<float>(x)); }
  static __m256 first(int i) {
    return _mm256_add_ps(_mm256_set_ps(0.8F, 0.7F, 0.6F, 0.5F, 0.4F, 0.3F, 0.2F, 0.1F),
                         broadcast(0.03 * i));
  }
  static __m256 multiply_add(__m256 x, __m256 y, __m256 z) { return _mm256_fmadd_ps(x, y, z); }
  static double sum(__m256 x) {
    alignas(32) float lane[lanes];
    _mm256_store_ps(lane, x);
    return sum_of(lane);
  }
};

}  // namespace

const PeakBody peak_avx2_fp64 = multiply_add_body<Avx2Double>();
const PeakBody peak_avx2_fp32 = multiply_add_body<Avx2Float>();

}  // namespace hpclab::roofline::ceilings
