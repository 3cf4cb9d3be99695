// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Fused multiply-adds of 32 half-precision numbers (AVX512-FP16: Intel Sapphire Rapids and later).
#include "roofline/ceilings/peak_bodies.hpp"

#include <immintrin.h>

namespace hpclab::roofline::ceilings {
namespace {

struct Avx512Half {
  using Register = __m512h;
  static constexpr int lanes = 32;
  static __m512h broadcast(double x) { return _mm512_set1_ph(static_cast<_Float16>(x)); }
  static __m512h first(int i) {
    alignas(64) _Float16 lane[lanes];
    for (int j = 0; j < lanes; ++j) lane[j] = static_cast<_Float16>(0.1 + 0.03 * i + 0.05 * j);
    return _mm512_load_ph(lane);
  }
  static __m512h multiply_add(__m512h x, __m512h y, __m512h z) { return _mm512_fmadd_ph(x, y, z); }
  static double sum(__m512h x) {
    alignas(64) _Float16 lane[lanes];
    _mm512_store_ph(lane, x);
    return sum_of(lane);
  }
};

}  // namespace

const PeakBody peak_avx512_fp16 = multiply_add_body<Avx512Half>();

}  // namespace hpclab::roofline::ceilings
