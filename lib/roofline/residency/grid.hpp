// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The grid that a stencil sweeps over, and the reference of every kernel.
#pragma once

#include "cuda/roofline/residency/arguments.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpclab::roofline::residency {

/// A seven-point stencil on a cube or a five-point stencil on a square.
enum class Stencil { five_point, seven_point };

inline std::uint32_t dimensions_of(Stencil stencil) {
  return stencil == Stencil::seven_point ? 3 : 2;
}

struct Grid {
  Stencil stencil = Stencil::seven_point;
  std::uint32_t edge = 3;

  std::uint32_t dimensions() const { return dimensions_of(stencil); }
  /// Points of a plane (of a row in two dimensions).
  std::size_t plane() const { return dimensions() == 3 ? std::size_t{edge} * edge : edge; }
  std::size_t points() const { return plane() * edge; }
};

/// The grid of at most `points` points (at least 3 along an edge).
Grid grid_of(Stencil stencil, std::int64_t points);

/// A sweep over all planes, without arrays: damped Jacobi, whose coefficients sum to 1, so that
/// values stay between the smallest and the largest.
template <class T>
StencilSweep<T> sweep_of(const Grid& grid) {
  StencilSweep<T> sweep;
  sweep.edge = grid.edge;
  sweep.dimensions = grid.dimensions();
  sweep.end = grid.edge;
  sweep.centre = T{2} / 5;
  sweep.neighbour = (T{1} - sweep.centre) / static_cast<T>(2 * grid.dimensions());
  return sweep;
}

/// One sweep by plain loops. The additions are in the order that StencilSweep declares.
template <class T>
std::vector<T> reference_sweep(const Grid& grid, const std::vector<T>& in) {
  const StencilSweep<T> s = sweep_of<T>(grid);
  std::vector<T> out = in;
  const std::size_t edge = grid.edge;
  const std::size_t plane = grid.plane();
  const auto inside = [&](std::size_t i) { return i > 0 && i + 1 < edge; };
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t x = i % edge;
    const std::size_t y = grid.dimensions() == 3 ? i / edge % edge : 1;
    if (!inside(x) || !inside(y) || !inside(i / plane)) continue;
    T sum = in[i - 1] + in[i + 1];
    if (grid.dimensions() == 3) {
      sum = sum + in[i - edge];
      sum = sum + in[i + edge];
    }
    sum = sum + in[i - plane];
    sum = sum + in[i + plane];
    out[i] = std::fma(s.neighbour, sum, s.centre * in[i]);
  }
  return out;
}

}  // namespace hpclab::roofline::residency
