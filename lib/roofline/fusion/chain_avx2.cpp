// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Half a cache line a register; 8 of the 16 registers hold elements.
#include "roofline/fusion/chain_bodies.hpp"

namespace hpclab::roofline::fusion {
namespace {

struct Doubles {
  using Element = double;
  using Register = __m256d;
  static constexpr std::size_t lanes = 4;
  static constexpr std::size_t few = 8;
  static constexpr std::size_t many = 8;
  static __m256d load(const double* p) { return _mm256_load_pd(p); }
  static void store(double* p, __m256d x) { _mm256_store_pd(p, x); }
  static void store_nontemporal(double* p, __m256d x) { _mm256_stream_pd(p, x); }
  static __m256d broadcast(double x) { return _mm256_set1_pd(x); }
  static __m256d multiply_add(__m256d x, __m256d y, __m256d z) { return _mm256_fmadd_pd(x, y, z); }
};

struct Floats {
  using Element = float;
  using Register = __m256;
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t few = 8;
  static constexpr std::size_t many = 8;
  static __m256 load(const float* p) { return _mm256_load_ps(p); }
  static void store(float* p, __m256 x) { _mm256_store_ps(p, x); }
  static void store_nontemporal(float* p, __m256 x) { _mm256_stream_ps(p, x); }
  static __m256 broadcast(float x) { return _mm256_set1_ps(x); }
  static __m256 multiply_add(__m256 x, __m256 y, __m256 z) { return _mm256_fmadd_ps(x, y, z); }
};

}  // namespace

const PassBodies pass_bodies_avx2 = HPCLAB_PASS_BODIES(Doubles, Floats);

}  // namespace hpclab::roofline::fusion
