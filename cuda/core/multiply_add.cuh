// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Fused multiply-add and reciprocal of plain numbers, rounded the same way on device and host.
#pragma once

#include "cuda/core/port.cuh"

#if !defined(__CUDACC__)
#include <cmath>
#endif

namespace hpclab::cuda {

#if defined(__CUDACC__)

HPCLAB_INLINE_DEVICE double fused_multiply_add(double a, double b, double c) {
  return fma(a, b, c);
}
HPCLAB_INLINE_DEVICE float fused_multiply_add(float a, float b, float c) {
  return fmaf(a, b, c);
}
HPCLAB_INLINE_DEVICE double reciprocal_seed(double x) {
  double seed;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(seed) : "d"(x));
  return seed;
}
HPCLAB_INLINE_DEVICE float reciprocal_seed(float x) {
  float seed;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(seed) : "f"(x));
  return seed;
}

#else

HPCLAB_INLINE_DEVICE double fused_multiply_add(double a, double b, double c) {
  return std::fma(a, b, c);
}
HPCLAB_INLINE_DEVICE float fused_multiply_add(float a, float b, float c) {
  return std::fma(a, b, c);
}
// As good as the device's instruction: 20 bits for doubles, all for floats.
HPCLAB_INLINE_DEVICE double reciprocal_seed(double x) {
  return (1.0 + 0x1p-21) / x;
}
HPCLAB_INLINE_DEVICE float reciprocal_seed(float x) {
  return 1.0f / x;
}

#endif

/// Newton steps that `reciprocal` takes: each doubles the bits of the seed.
template <class T>
inline constexpr int reciprocal_steps = sizeof(T) == 8 ? 2 : 1;

/// 1 / x within two roundings, for numbers whose reciprocal is no subnormal; reciprocal_steps times
/// two fused multiply-adds, so that its operations can be counted (a division is a call).
template <class T>
HPCLAB_INLINE_DEVICE T reciprocal(T x) {
  T y = reciprocal_seed(x);
  HPCLAB_UNROLL
  for (int step = 0; step < reciprocal_steps<T>; ++step) {
    y = fused_multiply_add(fused_multiply_add(-x, y, T{1}), y, y);
  }
  return y;
}

}  // namespace hpclab::cuda
