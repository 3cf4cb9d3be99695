// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Pairs of 16-bit floating-point numbers and their fused multiply-add. On the device one packed
// instruction; on the host exact arithmetic in double followed by one rounding to nearest even
// (a product of two such numbers and its sum with a third fits a double, but for sums of numbers
// more than 2^30 apart, where the second rounding may differ in the last bit).
#pragma once

#include "cuda/core/multiply_add.cuh"
#include "cuda/core/port.cuh"

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
#include <cmath>
#endif

namespace hpclab::cuda {

#if defined(__CUDACC__)

using Half2 = __half2;
using Bfloat2 = __nv_bfloat162;

HPCLAB_DEVICE Half2 fused_multiply_add(Half2 a, Half2 b, Half2 c) {
  return __hfma2(a, b, c);
}
HPCLAB_DEVICE Bfloat2 fused_multiply_add(Bfloat2 a, Bfloat2 b, Bfloat2 c) {
  return __hfma2(a, b, c);
}
HPCLAB_DEVICE void set_pair(Half2& pair, float low, float high) {
  pair = __floats2half2_rn(low, high);
}
HPCLAB_DEVICE void set_pair(Bfloat2& pair, float low, float high) {
  pair = __floats2bfloat162_rn(low, high);
}
HPCLAB_DEVICE double sum_of(Half2 pair) {
  return static_cast<double>(__low2float(pair)) + static_cast<double>(__high2float(pair));
}
HPCLAB_DEVICE double sum_of(Bfloat2 pair) {
  return static_cast<double>(__low2float(pair)) + static_cast<double>(__high2float(pair));
}

#else

/// Rounds to `bits` significant bits, exponents down to `minimum_exponent` (then subnormal), beyond
/// `largest` to infinity.
HPCLAB_DEVICE float round_to(double value, int bits, int minimum_exponent, double largest) {
  if (value == 0 || !std::isfinite(value)) {
    return static_cast<float>(value);
  }
  int exponent = 0;
  std::frexp(value, &exponent);  // value = fraction * 2^exponent, fraction in [1/2, 1)
  const int last = (exponent - 1 < minimum_exponent ? minimum_exponent : exponent - 1) - (bits - 1);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  return std::fabs(rounded) > largest ? std::copysign(HUGE_VALF, static_cast<float>(rounded))
                                      : static_cast<float>(rounded);
}

struct Half2 {
  float low, high;  ///< always representable in IEEE binary16
  HPCLAB_ABI_TAG static float round(double v) { return round_to(v, 11, -14, 65504.0); }
};
struct Bfloat2 {
  float low, high;  ///< always representable in bfloat16
  HPCLAB_ABI_TAG static float round(double v) {
    return round_to(v, 8, -126, 3.3895313892515355e38);
  }
};

template <class Pair>
requires requires(Pair p) {
  Pair::round(p.low);
}
HPCLAB_DEVICE void set_pair(Pair& pair, float low, float high) {
  pair = {Pair::round(low), Pair::round(high)};
}
template <class Pair>
requires requires(Pair p) {
  Pair::round(p.low);
}
HPCLAB_DEVICE Pair fused_multiply_add(Pair a, Pair b, Pair c) {
  return {Pair::round(double{a.low} * b.low + c.low),
          Pair::round(double{a.high} * b.high + c.high)};
}
template <class Pair>
requires requires(Pair p) {
  Pair::round(p.low);
}
HPCLAB_DEVICE double sum_of(Pair pair) {
  return double{pair.low} + pair.high;
}

#endif

HPCLAB_DEVICE void set_pair(double& value, float low, float) {
  value = low;
}
HPCLAB_DEVICE void set_pair(float& value, float low, float) {
  value = low;
}
HPCLAB_DEVICE double sum_of(double value) {
  return value;
}
HPCLAB_DEVICE double sum_of(float value) {
  return value;
}

}  // namespace hpclab::cuda
