// hpclab: SPDX-License-Identifier: Apache-2.0
//
// From nodes to quadrature points and back, and the mass matrix. Included by files of one
// instruction set, hence internal linkage.
#pragma once

#include "operators/cpu_lines.hpp"
#include "operators/cpu_pass_tables.hpp"
#include "operators/cpu_prefetch.hpp"

namespace hpclab::operators {
namespace {

template <typename V, int N, int Q, bool even_odd>
using ToPoints = LineMatrix<V, Q, N, Symmetry::even, even_odd>;
template <typename V, int N, int Q, bool even_odd>
using ToNodes = LineMatrix<V, N, Q, Symmetry::even, even_odd>;

// Nodes, plane by plane along x and y -> v: nodes along z only.
template <typename V, int N, int Q, bool even_odd, template <typename, int, int> class Lines>
void read_and_interpolate_xy(Batch<typename V::Scalar>& b) {
  constexpr int w = V::lanes;
  const int n = size_of<N>(b.nodes), q = size_of<Q>(b.points);
  const ToPoints<V, N, Q, even_odd> values(b.tables->to_points, q, n);
  const Lines<V, N, 0> lines(b);
  Ahead<typename V::Scalar> ahead(b);
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      Line<V, N> in;
      Line<V, Q> out;
      lines.read(j, k, in);
      ahead.step();
      values.contract(InRegisters<V>{in}, out);
      store_line<V, Q>(b.plane + j * q * w, 1, out, q);
    }
    auto* v = b.v + k * plane_stride(q) * w;
    for (int i = 0; i < q; ++i) {
      Line<V, Q> out;
      ahead.step();
      values.contract(InMemory<V>{b.plane + i * w, q}, out);
      store_line<V, Q>(v + i * w, q, out, q);
    }
  }
}

// The transpose: v, nodes along z and points along x and y -> added to the nodes.
template <typename V, int N, int Q, bool even_odd, template <typename, int, int> class Lines>
void interpolate_xy_transposed_and_add(Batch<typename V::Scalar>& b) {
  constexpr int w = V::lanes;
  const int n = size_of<N>(b.nodes), q = size_of<Q>(b.points);
  const ToNodes<V, N, Q, even_odd> values(b.tables->to_nodes, n, q);
  const Lines<V, N, 0> lines(b);
  Ahead<typename V::Scalar> ahead(b);
  for (int k = 0; k < n; ++k) {
    const auto* v = b.v + k * plane_stride(q) * w;
    for (int i = 0; i < q; ++i) {
      Line<V, N> out;
      ahead.step();
      values.contract(InMemory<V>{v + i * w, q}, out);
      store_line<V, N>(b.plane + i * w, q, out, n);
    }
    for (int j = 0; j < n; ++j) {
      Line<V, N> out;
      ahead.step();
      values.contract(InMemory<V>{b.plane + j * q * w, 1}, out);
      lines.add(j, k, out);
    }
  }
}

// v -> u at points, and g = du/dz there, from the same registers.
template <typename V, int N, int Q, bool even_odd>
void interpolate_and_gradient_z(Batch<typename V::Scalar>& b) {
  const int n = size_of<N>(b.nodes), q = size_of<Q>(b.points), stride = plane_stride(q);
  Ahead<typename V::Scalar> ahead(b);
  const LineMatrix<V, Q, N, Symmetry::even, even_odd, Coefficients::broadcast> values(
      b.tables->to_points, q, n);
  const LineMatrix<V, Q, Q, Symmetry::odd, even_odd, Coefficients::broadcast> gradient(
      b.tables->gradient, q, q);
  for (int column = 0; column < q * q; ++column) {
    const int at = column * V::lanes;
    Line<V, Q> u, g;
    ahead.step();
    values.contract(InMemory<V>{b.v + at, stride}, u);
    store_line<V, Q>(b.u + at, stride, u, q);
    ahead.step();
    gradient.contract(InRegisters<V>{u}, g);
    store_line<V, Q>(b.g[0] + at, stride, g, q);
  }
}

// The transpose: flux in g and u -> v.
template <typename V, int N, int Q, bool even_odd>
void interpolate_and_gradient_z_transposed(Batch<typename V::Scalar>& b) {
  const int n = size_of<N>(b.nodes), q = size_of<Q>(b.points), stride = plane_stride(q);
  Ahead<typename V::Scalar> ahead(b);
  const LineMatrix<V, N, Q, Symmetry::even, even_odd, Coefficients::broadcast> values(
      b.tables->to_nodes, n, q);
  const LineMatrix<V, Q, Q, Symmetry::odd, even_odd, Coefficients::broadcast> gradient(
      b.tables->gradient_t, q, q);
  for (int column = 0; column < q * q; ++column) {
    const int at = column * V::lanes;
    Line<V, Q> u;
    Line<V, N> out;
    ahead.step();
    gradient.contract(InMemory<V>{b.g[0] + at, stride}, u);
    add_line<V, Q>(b.u + at, stride, u, q);
    ahead.step();
    values.contract(InRegisters<V>{u}, out);
    store_line<V, N>(b.v + at, stride, out, n);
  }
}

// v -> v: to the points along z, times the factor of each point, and back.
template <typename V, int N, int Q, bool even_odd>
void mass_z(Batch<typename V::Scalar>& b) {
  const int n = size_of<N>(b.nodes), q = size_of<Q>(b.points), stride = plane_stride(q);
  Ahead<typename V::Scalar> ahead(b);
  const LineMatrix<V, Q, N, Symmetry::even, even_odd, Coefficients::broadcast> forward(
      b.tables->to_points, q, n);
  const LineMatrix<V, N, Q, Symmetry::even, even_odd, Coefficients::broadcast> backward(
      b.tables->to_nodes, n, q);
  for (int column = 0; column < q * q; ++column) {
    const int at = column * V::lanes;
    Line<V, Q> u;
    Line<V, N> out;
    ahead.step();
    forward.contract(InMemory<V>{b.v + at, stride}, u);
#pragma GCC unroll 14
    for (int k = 0; k < q; ++k)
      u[k] = V::multiply(u[k], V::load(b.mass_factors + (k * q * q) * V::lanes + at));
    ahead.step();
    backward.contract(InRegisters<V>{u}, out);
    store_line<V, N>(b.v + at, stride, out, n);
  }
}

template <typename V, int N, int Q, bool even_odd>
constexpr InterpolationPasses<typename V::Scalar> interpolation_passes() {
  return {{read_and_interpolate_xy<V, N, Q, even_odd, ElementLines>,
           read_and_interpolate_xy<V, N, Q, even_odd, AssembledLines>},
          {interpolate_xy_transposed_and_add<V, N, Q, even_odd, ElementLines>,
           interpolate_xy_transposed_and_add<V, N, Q, even_odd, AssembledLines>},
          interpolate_and_gradient_z<V, N, Q, even_odd>,
          interpolate_and_gradient_z_transposed<V, N, Q, even_odd>,
          mass_z<V, N, Q, even_odd>};
}

template <typename V, int N = V::largest_size - 1>
constexpr void fill(InterpolationTable<typename V::Scalar>& table) {
  if constexpr (N > 0) {
    table.of[N][0][0] = interpolation_passes<V, N, N, false>();
    table.of[N][0][1] = interpolation_passes<V, N, N, true>();
    table.of[N][1][0] = interpolation_passes<V, N, N + 1, false>();
    table.of[N][1][1] = interpolation_passes<V, N, N + 1, true>();
  }
  if constexpr (N > fewest_nodes) fill<V, N - 1>(table);
}

template <typename V>
constexpr InterpolationTable<typename V::Scalar> interpolation_table() {
  InterpolationTable<typename V::Scalar> table{};
  fill<V>(table);
  table.of[0][0][0] = interpolation_passes<V, 0, 0, false>();
  table.of[0][0][1] = interpolation_passes<V, 0, 0, true>();
  return table;
}

}  // namespace
}  // namespace hpclab::operators
