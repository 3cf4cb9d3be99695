// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Registers of 512 bits for the kernels of CpuOperator: see cpu_vector_scalar.hpp for what each
// function means.
#pragma once

#include "operators/cpu_batch.hpp"

#include <immintrin.h>

namespace hpclab::operators {
namespace {

struct Avx512Double {
  using Scalar = double;
  using Register = __m512d;
  static constexpr int lanes = 8;
  static constexpr int registers = 32;
  static constexpr int largest_size = largest_compiled_size;

  static Register load(const double* p) { return _mm512_loadu_pd(p); }
  static void store(double* p, Register x) { _mm512_storeu_pd(p, x); }
  static Register broadcast(double x) { return _mm512_set1_pd(x); }
  static Register add(Register x, Register y) { return _mm512_add_pd(x, y); }
  static Register subtract(Register x, Register y) { return _mm512_sub_pd(x, y); }
  static Register multiply(Register x, Register y) { return _mm512_mul_pd(x, y); }
  static Register hold(Register x) {
    asm("" : "+v"(x));
    return x;
  }
  static Register divide(Register x, Register y) { return _mm512_div_pd(x, y); }
  static Register multiply_add(Register x, Register y, Register z) {
    return _mm512_fmadd_pd(x, y, z);
  }
  static Register multiply_subtract(Register x, Register y, Register z) {
    return _mm512_fmsub_pd(x, y, z);
  }
  static Register spilled(Register x) { return x; }

  struct Lanes {
    __m512i index;
    __mmask8 mask;
  };
  static Lanes reading(const GroupLink& link, int) {
    return {
        _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(link.group_lane))),
        static_cast<__mmask8>(link.batch_lanes)};
  }
  static Register read(Register old, const double* group, const Lanes& lanes) {
    return _mm512_mask_permutexvar_pd(old, lanes.mask, lanes.index, _mm512_loadu_pd(group));
  }
  static Lanes adding(const GroupLink& link, int) {
    return {
        _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(link.batch_lane))),
        static_cast<__mmask8>(link.group_lanes)};
  }
  static void add_to(double* group, Register x, const Lanes& lanes) {
    const __m512d old = _mm512_loadu_pd(group);
    const __m512d moved = _mm512_maskz_permutexvar_pd(lanes.mask, lanes.index, x);
    _mm512_storeu_pd(group, _mm512_add_pd(old, moved));
  }
};

struct Avx512Float {
  using Scalar = float;
  using Register = __m512;
  static constexpr int lanes = 16;
  static constexpr int registers = 32;
  static constexpr int largest_size = largest_compiled_size;

  static Register load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Register x) { _mm512_storeu_ps(p, x); }
  static Register broadcast(float x) { return _mm512_set1_ps(x); }
  static Register add(Register x, Register y) { return _mm512_add_ps(x, y); }
  static Register subtract(Register x, Register y) { return _mm512_sub_ps(x, y); }
  static Register multiply(Register x, Register y) { return _mm512_mul_ps(x, y); }
  static Register hold(Register x) {
    asm("" : "+v"(x));
    return x;
  }
  static Register divide(Register x, Register y) { return _mm512_div_ps(x, y); }
  static Register multiply_add(Register x, Register y, Register z) {
    return _mm512_fmadd_ps(x, y, z);
  }
  static Register multiply_subtract(Register x, Register y, Register z) {
    return _mm512_fmsub_ps(x, y, z);
  }
  static Register spilled(Register x) { return x; }

  struct Lanes {
    __m512i index;
    __mmask16 mask;
  };
  static Lanes reading(const GroupLink& link, int) {
    return {
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(link.group_lane))),
        static_cast<__mmask16>(link.batch_lanes)};
  }
  static Register read(Register old, const float* group, const Lanes& lanes) {
    return _mm512_mask_permutexvar_ps(old, lanes.mask, lanes.index, _mm512_loadu_ps(group));
  }
  static Lanes adding(const GroupLink& link, int) {
    return {
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(link.batch_lane))),
        static_cast<__mmask16>(link.group_lanes)};
  }
  static void add_to(float* group, Register x, const Lanes& lanes) {
    const __m512 old = _mm512_loadu_ps(group);
    const __m512 moved = _mm512_maskz_permutexvar_ps(lanes.mask, lanes.index, x);
    _mm512_storeu_ps(group, _mm512_add_ps(old, moved));
  }
};

}  // namespace
}  // namespace hpclab::operators
