// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Fused multiply-adds in 512-bit registers.
#include "roofline/ceilings/peak_bodies.hpp"

#include <immintrin.h>

namespace hpclab::roofline::ceilings {
namespace {

struct Avx512Double {
  using Register = __m512d;
  static constexpr int lanes = 8;
  static __m512d broadcast(double x) { return _mm512_set1_pd(x); }
  static __m512d first(int i) {
    return _mm512_add_pd(_mm512_set_pd(0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1),
                         _mm512_set1_pd(0.03 * i));
  }
  static __m512d multiply_add(__m512d x, __m512d y, __m512d z) { return _mm512_fmadd_pd(x, y, z); }
  static double sum(__m512d x) {
    alignas(64) double lane[lanes];
    _mm512_store_pd(lane, x);
    return sum_of(lane);
  }
};

struct Avx512Float {
  using Register = __m512;
  static constexpr int lanes = 16;
  static __m512 broadcast(double x) { return _mm512_set1_ps(static_cast<float>(x)); }
  static __m512 first(int i) {
    return _mm512_add_ps(_mm512_set_ps(1.6F, 1.5F, 1.4F, 1.3F, 1.2F, 1.1F, 1.0F, 0.9F, 0.8F, 0.7F,
                                       0.6F, 0.5F, 0.4F, 0.3F, 0.2F, 0.1F),
                         broadcast(0.03 * i));
  }
  static __m512 multiply_add(__m512 x, __m512 y, __m512 z) { return _mm512_fmadd_ps(x, y, z); }
  static double sum(__m512 x) {
    alignas(64) float lane[lanes];
    _mm512_store_ps(lane, x);
    return sum_of(lane);
  }
};

}  // namespace

const PeakBody peak_avx512_fp64 = multiply_add_body<Avx512Double>();
const PeakBody peak_avx512_fp32 = multiply_add_body<Avx512Float>();

}  // namespace hpclab::roofline::ceilings
