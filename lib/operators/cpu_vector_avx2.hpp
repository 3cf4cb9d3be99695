// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Registers of 256 bits for the kernels of CpuOperator: see cpu_vector_scalar.hpp for what each
// function means. A batch has twice as many lanes as a register.
#pragma once

#include "operators/cpu_batch.hpp"

#include <immintrin.h>

namespace hpclab::operators {
namespace {

struct Avx2Double {
  using Scalar = double;
  using Register = __m256d;
  static constexpr int lanes = 4;
  static constexpr int registers = 16;
  static constexpr int largest_size = largest_compiled_size;

  static Register load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, Register x) { _mm256_storeu_pd(p, x); }
  static Register broadcast(double x) { return _mm256_set1_pd(x); }
  static Register add(Register x, Register y) { return _mm256_add_pd(x, y); }
  static Register subtract(Register x, Register y) { return _mm256_sub_pd(x, y); }
  static Register multiply(Register x, Register y) { return _mm256_mul_pd(x, y); }
  static Register hold(Register x) {
    asm("" : "+x"(x));
    return x;
  }
  static Register divide(Register x, Register y) { return _mm256_div_pd(x, y); }
  static Register multiply_add(Register x, Register y, Register z) {
    return _mm256_fmadd_pd(x, y, z);
  }
  static Register multiply_subtract(Register x, Register y, Register z) {
    return _mm256_fmsub_pd(x, y, z);
  }
  static Register spilled(Register x) { return x; }

  struct Lanes {
    __m256i index;
    __m256i mask;  // sign bit set where linked
    const std::uint8_t* offset;
    unsigned linked;
  };
  static Lanes reading(const GroupLink& link, int first_lane) {
    const unsigned linked = link.batch_lanes >> first_lane;
    long long index[lanes], mask[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      index[lane] = link.group_lane[first_lane + lane];
      mask[lane] = -static_cast<long long>(linked >> lane & 1);
    }
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)),
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask)),
            link.group_lane + first_lane, linked};
  }
  static Register read(Register old, const double* group, const Lanes& lanes) {
    return _mm256_mask_i64gather_pd(old, group, lanes.index, _mm256_castsi256_pd(lanes.mask), 8);
  }
  static Lanes adding(const GroupLink& link, int first_lane) { return reading(link, first_lane); }
  static void add_to(double* group, Register x, const Lanes& to) {
    double numbers[lanes];
    _mm256_storeu_pd(numbers, x);
    for (int lane = 0; lane < lanes; ++lane)
      if ((to.linked >> lane & 1) != 0) group[to.offset[lane]] += numbers[lane];
  }
};

struct Avx2Float {
  using Scalar = float;
  using Register = __m256;
  static constexpr int lanes = 8;
  static constexpr int registers = 16;
  static constexpr int largest_size = largest_compiled_size;

  static Register load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Register x) { _mm256_storeu_ps(p, x); }
  static Register broadcast(float x) { return _mm256_set1_ps(x); }
  static Register add(Register x, Register y) { return _mm256_add_ps(x, y); }
  static Register subtract(Register x, Register y) { return _mm256_sub_ps(x, y); }
  static Register multiply(Register x, Register y) { return _mm256_mul_ps(x, y); }
  static Register hold(Register x) {
    asm("" : "+x"(x));
    return x;
  }
  static Register divide(Register x, Register y) { return _mm256_div_ps(x, y); }
  static Register multiply_add(Register x, Register y, Register z) {
    return _mm256_fmadd_ps(x, y, z);
  }
  static Register multiply_subtract(Register x, Register y, Register z) {
    return _mm256_fmsub_ps(x, y, z);
  }
  static Register spilled(Register x) { return x; }

  struct Lanes {
    __m256i index;
    __m256i mask;
    const std::uint8_t* offset;
    unsigned linked;
  };
  static Lanes reading(const GroupLink& link, int first_lane) {
    const unsigned linked = link.batch_lanes >> first_lane;
    int index[lanes], mask[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      index[lane] = link.group_lane[first_lane + lane];
      mask[lane] = -static_cast<int>(linked >> lane & 1);
    }
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)),
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask)),
            link.group_lane + first_lane, linked};
  }
  static Register read(Register old, const float* group, const Lanes& lanes) {
    return _mm256_mask_i32gather_ps(old, group, lanes.index, _mm256_castsi256_ps(lanes.mask), 4);
  }
  static Lanes adding(const GroupLink& link, int first_lane) { return reading(link, first_lane); }
  static void add_to(float* group, Register x, const Lanes& to) {
    float numbers[lanes];
    _mm256_storeu_ps(numbers, x);
    for (int lane = 0; lane < lanes; ++lane)
      if ((to.linked >> lane & 1) != 0) group[to.offset[lane]] += numbers[lane];
  }
};

}  // namespace
}  // namespace hpclab::operators
