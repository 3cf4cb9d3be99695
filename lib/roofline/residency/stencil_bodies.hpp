// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A sweep of a stencil over whole rows, in plain loops that the compiler turns into vectors of the
// including file's instruction set. Everything has internal linkage.
#pragma once

#include "roofline/residency/stencil_table.hpp"

namespace hpclab::roofline::residency {
namespace {

using Index = unsigned long;

[[gnu::always_inline]] inline double rounded_once(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
[[gnu::always_inline]] inline float rounded_once(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}

template <class T>
void copy_points(const T* __restrict in, T* __restrict out, Index count) {
  for (Index i = 0; i < count; ++i) out[i] = in[i];
}

// Points first to last of a row whose neighbours in the other axes lie `edge` (three dimensions
// only) and `plane` away.
template <class T, int dimensions>
[[gnu::always_inline]] inline void sweep_points(const T* __restrict in, T* __restrict out,
                                                Index first, Index last, Index edge, Index plane,
                                                T centre, T neighbour) {
  for (Index i = first; i < last; ++i) {
    const T* const here = in + i;
    T sum = here[-1] + here[1];
    if constexpr (dimensions == 3) {
      sum = sum + *(here - edge);
      sum = sum + here[edge];
    }
    sum = sum + *(here - plane);
    sum = sum + here[plane];
    out[i] = rounded_once(neighbour, sum, centre * *here);
  }
}

// The vectors of a row begin at a cache line of `out`: beginning at its second point, every load
// and store would touch two lines, and a core would reach two thirds of its bandwidth (measured on
// Zen 4).
template <class T, int dimensions>
void sweep_row(const T* in, T* out, Index edge, Index plane, T centre, T neighbour) {
  constexpr Index line = 64;
  const Index into_line = reinterpret_cast<Index>(out) % line / sizeof(T);
  Index aligned = into_line == 0 ? line / sizeof(T) : line / sizeof(T) - into_line;
  if (aligned > edge - 1) aligned = edge - 1;
  out[0] = in[0];
  sweep_points<T, dimensions>(in, out, 1, aligned, edge, plane, centre, neighbour);
  sweep_points<T, dimensions>(in, out, aligned, edge - 1, edge, plane, centre, neighbour);
  out[edge - 1] = in[edge - 1];
}

template <class T>
void sweep_planes(const StencilSweep<T>& s) {
  const Index edge = s.edge;
  const Index plane = s.dimensions == 3 ? edge * edge : edge;
  for (Index p = s.begin; p < s.end; ++p) {
    const T* const in = s.in + p * plane;
    T* const out = s.out + p * plane;
    if (p == 0 || p + 1 == edge) {
      copy_points(in, out, plane);
    } else if (s.dimensions == 2) {
      sweep_row<T, 2>(in, out, edge, plane, s.centre, s.neighbour);
    } else {
      copy_points(in, out, edge);
      for (Index y = 1; y + 1 < edge; ++y)
        sweep_row<T, 3>(in + y * edge, out + y * edge, edge, plane, s.centre, s.neighbour);
      copy_points(in + plane - edge, out + plane - edge, edge);
    }
  }
}

}  // namespace
}  // namespace hpclab::roofline::residency
