// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Four doubles a register.
#include "roofline/ceilings/bandwidth_bodies.hpp"

#include <immintrin.h>

namespace hpclab::roofline::ceilings {
namespace {

struct Avx2 {
  using Register = __m256d;
  static constexpr std::size_t lanes = 4;
  static __m256d load(const double* p) { return _mm256_load_pd(p); }
  static void store(double* p, __m256d x) { _mm256_store_pd(p, x); }
  static void store_nontemporal(double* p, __m256d x) { _mm256_stream_pd(p, x); }
  static __m256d broadcast(double x) { return _mm256_set1_pd(x); }
  static __m256d multiply(__m256d x, __m256d y) { return _mm256_mul_pd(x, y); }
  static __m256d multiply_add(__m256d x, __m256d y, __m256d z) { return _mm256_fmadd_pd(x, y, z); }
  static void keep(__m256d x) { asm volatile("" : : "x"(x)); }
};

}  // namespace

const BandwidthBody bandwidth_avx2[bandwidth_kind_count] = HPCLAB_BANDWIDTH_TABLE(Avx2);

}  // namespace hpclab::roofline::ceilings
