// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Eight doubles, one cache line, a register.
#include "roofline/ceilings/bandwidth_bodies.hpp"

#include <immintrin.h>

namespace hpclab::roofline::ceilings {
namespace {

struct Avx512 {
  using Register = __m512d;
  static constexpr std::size_t lanes = 8;
  static __m512d load(const double* p) { return _mm512_load_pd(p); }
  static void store(double* p, __m512d x) { _mm512_store_pd(p, x); }
  static void store_nontemporal(double* p, __m512d x) { _mm512_stream_pd(p, x); }
  static __m512d broadcast(double x) { return _mm512_set1_pd(x); }
  static __m512d multiply(__m512d x, __m512d y) { return _mm512_mul_pd(x, y); }
  static __m512d multiply_add(__m512d x, __m512d y, __m512d z) { return _mm512_fmadd_pd(x, y, z); }
  static void keep(__m512d x) { asm volatile("" : : "v"(x)); }
};

}  // namespace

const BandwidthBody bandwidth_avx512[bandwidth_kind_count] = HPCLAB_BANDWIDTH_TABLE(Avx512);

}  // namespace hpclab::roofline::ceilings
