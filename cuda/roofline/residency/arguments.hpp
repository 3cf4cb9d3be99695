// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A sweep of a stencil over a cube (seven points) or a square (five points). Plain data, the same
// for processor, device and emulator.
#pragma once

#include <cstdint>

namespace hpclab::roofline::residency {

/// out = centre in + neighbour (sum of the 2 `dimensions` neighbours) inside, out = in on the
/// boundary, for the planes (in two dimensions: rows) `begin` to `end` of an array of
/// edge^dimensions points, the first index fastest. Neighbours are added in the order of the axes,
/// lower before upper; the last multiplication and addition are rounded once.
template <class T>
struct StencilSweep {
  const T* in = nullptr;
  T* out = nullptr;
  std::uint32_t edge = 0;
  std::uint32_t dimensions = 3;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  T centre = 0;
  T neighbour = 0;
};

/// Planes that one thread of a GPU takes, one after another.
inline constexpr std::uint32_t stencil_depth = 8;

}  // namespace hpclab::roofline::residency
