// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A sweep of a stencil. A thread owns a column of points across stencil_depth planes and keeps the
// three points of it that a plane needs in registers; the neighbours within the plane come through
// the caches.
#pragma once

#include "cuda/core/low_precision.cuh"
#include "cuda/core/port.cuh"
#include "cuda/roofline/residency/arguments.hpp"

namespace hpclab::roofline::residency {

namespace device = hpclab::cuda;

/// Block x (and y for a cube) cover a plane; the last axis of the grid covers the planes.
template <class T, int dimensions>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(512, 1) stencil_kernel(StencilSweep<T> s) {
  const std::uint64_t edge = s.edge;
  const std::uint64_t plane = dimensions == 3 ? edge * edge : edge;
  const unsigned x = device::block_index().x * device::block_size().x + device::thread_index().x;
  const unsigned y =
      dimensions == 3 ? device::block_index().y * device::block_size().y + device::thread_index().y
                      : 1;
  const unsigned slab = dimensions == 3 ? device::block_index().z : device::block_index().y;
  if (x >= s.edge || y >= s.edge) {
    return;
  }
  const std::uint64_t column = dimensions == 3 ? y * edge + x : x;
  const bool side = x == 0 || x + 1 == s.edge || (dimensions == 3 && (y == 0 || y + 1 == s.edge));
  const std::uint32_t first = s.begin + slab * stencil_depth;
  const std::uint32_t last = first + stencil_depth < s.end ? first + stencil_depth : s.end;
  if (first >= last) {
    return;
  }
  T here = s.in[first * plane + column];
  T lower = first > 0 ? s.in[(first - 1) * plane + column] : here;
  for (std::uint32_t p = first; p < last; ++p) {
    const std::uint64_t i = p * plane + column;
    const T upper = p + 1 < s.edge ? s.in[i + plane] : here;
    if (side || p == 0 || p + 1 == s.edge) {
      s.out[i] = here;
    } else {
      T sum = s.in[i - 1] + s.in[i + 1];
      if constexpr (dimensions == 3) {
        sum = sum + s.in[i - edge];
        sum = sum + s.in[i + edge];
      }
      sum = sum + lower;
      sum = sum + upper;
      s.out[i] = device::fused_multiply_add(s.neighbour, sum, s.centre * here);
    }
    lower = here;
    here = upper;
  }
}

/// The instances that exist, for device and emulator alike; null for any other.
template <class T>
HPCLAB_TABLE auto stencil_body(std::uint32_t dimensions) -> void (*)(StencilSweep<T>) {
  switch (dimensions) {
    case 2:
      return &stencil_kernel<T, 2>;
    case 3:
      return &stencil_kernel<T, 3>;
    default:
      return nullptr;
  }
}

}  // namespace hpclab::roofline::residency
