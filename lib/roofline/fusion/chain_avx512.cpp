// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One cache line a register; 4 or 8 of the 32 registers hold elements.
#include "roofline/fusion/chain_bodies.hpp"

namespace hpclab::roofline::fusion {
namespace {

struct Doubles {
  using Element = double;
  using Register = __m512d;
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t few = 4;
  static constexpr std::size_t many = 8;
  static __m512d load(const double* p) { return _mm512_load_pd(p); }
  static void store(double* p, __m512d x) { _mm512_store_pd(p, x); }
  static void store_nontemporal(double* p, __m512d x) { _mm512_stream_pd(p, x); }
  static __m512d broadcast(double x) { return _mm512_set1_pd(x); }
  static __m512d multiply_add(__m512d x, __m512d y, __m512d z) { return _mm512_fmadd_pd(x, y, z); }
};

struct Floats {
  using Element = float;
  using Register = __m512;
  static constexpr std::size_t lanes = 16;
  static constexpr std::size_t few = 4;
  static constexpr std::size_t many = 8;
  static __m512 load(const float* p) { return _mm512_load_ps(p); }
  static void store(float* p, __m512 x) { _mm512_store_ps(p, x); }
  static void store_nontemporal(float* p, __m512 x) { _mm512_stream_ps(p, x); }
  static __m512 broadcast(float x) { return _mm512_set1_ps(x); }
  static __m512 multiply_add(__m512 x, __m512 y, __m512 z) { return _mm512_fmadd_ps(x, y, z); }
};

}  // namespace

const PassBodies pass_bodies_avx512 = HPCLAB_PASS_BODIES(Doubles, Floats);

}  // namespace hpclab::roofline::fusion
