// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The textbook way, 18 sweeps: every component of the gradient by three sweeps of its own. Included
// by files of one instruction set, hence internal linkage.
#pragma once

#include "operators/cpu_contraction.hpp"
#include "operators/cpu_pass_tables.hpp"

namespace hpclab::operators {
namespace {

// A cube [k][j][i]: registers from number to number along x, y and z.
template <typename Scalar>
struct Cube {
  Scalar* start;
  int stride[3];
};
template <typename Scalar>
Cube<Scalar> cube(Scalar* start, int row) {
  return {start, {1, row, plane_stride(row)}};
}

// Contracts all lines along `direction`; `extent` is the number of lines along the other two.
template <typename V, int R, int C, Symmetry symmetry, bool even_odd>
[[gnu::noinline]] void sweep(const typename V::Scalar* matrix, int direction,
                             const Cube<typename V::Scalar>& in,
                             const Cube<typename V::Scalar>& out, const int* extent, int rows,
                             int columns, bool accumulate) {
  constexpr int w = V::lanes;
  const int r = size_of<R>(rows), c = size_of<C>(columns);
  const int inner = direction == 0 ? 1 : 0, outer = direction == 2 ? 1 : 2;
  const LineMatrix<V, R, C, symmetry, even_odd> line_matrix(matrix, r, c);
  for (int b = 0; b < extent[outer]; ++b)
    for (int a = 0; a < extent[inner]; ++a) {
      const auto* from = in.start + (a * in.stride[inner] + b * in.stride[outer]) * w;
      auto* to = out.start + (a * out.stride[inner] + b * out.stride[outer]) * w;
      Line<V, R> line;
      line_matrix.contract(InMemory<V>{from, in.stride[direction]}, line);
      if (accumulate) add_line<V, R>(to, out.stride[direction], line, r);
      store_line<V, R>(to, out.stride[direction], line, r);
    }
}

// One sweep of the component of the gradient along `component`, which takes the derivative only in
// its own direction.
template <typename V, int R, int C, bool even_odd>
[[gnu::always_inline]] inline void sweep_for(int component, const typename V::Scalar* values,
                                             const typename V::Scalar* derivatives, int direction,
                                             const Cube<typename V::Scalar>& in,
                                             const Cube<typename V::Scalar>& out, const int* extent,
                                             int rows, int columns, bool accumulate) {
  if (component == direction) {
    sweep<V, R, C, Symmetry::odd, even_odd>(derivatives, direction, in, out, extent, rows, columns,
                                            accumulate);
  } else {
    sweep<V, R, C, Symmetry::even, even_odd>(values, direction, in, out, extent, rows, columns,
                                             accumulate);
  }
}

// Nodes in u -> components of the gradient at points in g.
template <typename V, int N, int Q, bool even_odd>
void gradient_components(Batch<typename V::Scalar>& b) {
  const int n = size_of<N>(b.nodes), q = size_of<Q>(b.points);
  const auto nodes = cube(b.u, n), first = cube(b.v, q), second = cube(b.w, q);
  const int extents[3][3] = {{q, n, n}, {q, q, n}, {q, q, q}};
  const auto &values = b.tables->to_points, &derivatives = b.tables->node_gradient;
  for (int c = 0; c < 3; ++c) {
    sweep_for<V, Q, N, even_odd>(c, values, derivatives, 0, nodes, first, extents[0], q, n, false);
    sweep_for<V, Q, N, even_odd>(c, values, derivatives, 1, first, second, extents[1], q, n, false);
    sweep_for<V, Q, N, even_odd>(c, values, derivatives, 2, second, cube(b.g[c], q), extents[2], q,
                                 n, false);
  }
}

// The transpose: fluxes in g -> nodes in u.
template <typename V, int N, int Q, bool even_odd>
void gradient_components_transposed(Batch<typename V::Scalar>& b) {
  const int n = size_of<N>(b.nodes), q = size_of<Q>(b.points);
  const auto nodes = cube(b.u, n), first = cube(b.v, q), second = cube(b.w, q);
  const int extents[3][3] = {{n, n, n}, {q, n, n}, {q, q, n}};
  const auto &values = b.tables->to_nodes, &derivatives = b.tables->node_gradient_t;
  for (int c = 0; c < 3; ++c) {
    sweep_for<V, N, Q, even_odd>(c, values, derivatives, 2, cube(b.g[c], q), second, extents[2], n,
                                 q, false);
    sweep_for<V, N, Q, even_odd>(c, values, derivatives, 1, second, first, extents[1], n, q, false);
    sweep_for<V, N, Q, even_odd>(c, values, derivatives, 0, first, nodes, extents[0], n, q, c > 0);
  }
}

template <typename V, int N, int Q, bool even_odd>
constexpr SweepPasses<typename V::Scalar> sweep_passes() {
  return {gradient_components<V, N, Q, even_odd>,
          gradient_components_transposed<V, N, Q, even_odd>};
}

template <typename V, int N = V::largest_size - 1>
constexpr void fill(SweepTable<typename V::Scalar>& table) {
  if constexpr (N > 0) {
    table.of[N][0][0] = sweep_passes<V, N, N, false>();
    table.of[N][0][1] = sweep_passes<V, N, N, true>();
    table.of[N][1][0] = sweep_passes<V, N, N + 1, false>();
    table.of[N][1][1] = sweep_passes<V, N, N + 1, true>();
  }
  if constexpr (N > fewest_nodes) fill<V, N - 1>(table);
}

template <typename V>
constexpr SweepTable<typename V::Scalar> sweep_table() {
  SweepTable<typename V::Scalar> table{};
  fill<V>(table);
  table.of[0][0][0] = sweep_passes<V, 0, 0, false>();
  table.of[0][0][1] = sweep_passes<V, 0, 0, true>();
  return table;
}

}  // namespace
}  // namespace hpclab::operators
