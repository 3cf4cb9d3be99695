// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Collocated gradient, metric and transposed gradient: 6 sweeps in three passes over the cube of
// points, the first of which reads the vector and the last of which adds to it. Included by files
// of one instruction set, hence internal linkage.
//
// The cube u holds the values and at the end the result; g[0] holds the z-derivative and then the
// z-flux. x and y never leave a plane, which stays in the first-level cache.
#pragma once

#include "operators/cpu_lines.hpp"
#include "operators/cpu_pass_tables.hpp"
#include "operators/cpu_pointwise.hpp"
#include "operators/cpu_prefetch.hpp"

namespace hpclab::operators {
namespace {

template <typename V, int Q, bool even_odd>
using Gradient = LineMatrix<V, Q, Q, Symmetry::odd, even_odd>;

// Nodes, which are the points -> u, and g = du/dz.
template <typename V, int Q, bool even_odd, template <typename, int, int> class Lines>
void read_and_gradient_z(Batch<typename V::Scalar>& b) {
  const int q = size_of<Q>(b.points), stride = plane_stride(q);
  const Gradient<V, Q, even_odd> gradient(b.tables->gradient, q, q);
  const Lines<V, Q, 2> lines(b);
  Ahead<typename V::Scalar> ahead(b);
  for (int j = 0; j < q; ++j)
    for (int i = 0; i < q; ++i) {
      const int column = (j * q + i) * V::lanes;
      Line<V, Q> in, out;
      lines.read(i, j, in);
      store_line<V, Q>(b.u + column, stride, in, q);
      ahead.step();
      gradient.contract(InRegisters<V>{in}, out);
      store_line<V, Q>(b.g[0] + column, stride, out, q);
    }
}

// Nodes += u + (flux in g) by transposed d/dz.
template <typename V, int Q, bool even_odd, template <typename, int, int> class Lines>
void gradient_z_transposed_and_add(Batch<typename V::Scalar>& b) {
  const int q = size_of<Q>(b.points), stride = plane_stride(q);
  const Gradient<V, Q, even_odd> gradient(b.tables->gradient_t, q, q);
  const Lines<V, Q, 2> lines(b);
  Ahead<typename V::Scalar> ahead(b);
  for (int j = 0; j < q; ++j)
    for (int i = 0; i < q; ++i) {
      const int column = (j * q + i) * V::lanes;
      Line<V, Q> out;
      ahead.step();
      gradient.contract(InMemory<V>{b.g[0] + column, stride}, out);
      add_line<V, Q>(b.u + column, stride, out, q);
      lines.add(i, j, out);
    }
}

// Plane by plane: d/dx and d/dy, metric, transposed d/dx and d/dy.
template <typename V, int Q, bool even_odd, template <typename> class Metric>
void gradient_planes(Batch<typename V::Scalar>& b) {
  using Scalar = typename V::Scalar;
  using Register = typename V::Register;
  constexpr int w = V::lanes;
  const int q = size_of<Q>(b.points), stride = plane_stride(q);
  Metric<V> metric(b);
  Ahead<Scalar> ahead(b);
  Scalar* y = b.plane;
  // The two matrices of a row would not fit in registers together.
  using RowGradient = LineMatrix<V, Q, Q, Symmetry::odd, even_odd, Coefficients::broadcast>;
  const RowGradient forward_x(b.tables->gradient, q, q), backward_x(b.tables->gradient_t, q, q);
  for (int k = 0; k < q; ++k) {
    Scalar* u = b.u + k * stride * w;
    Scalar* z = b.g[0] + k * stride * w;
    const Gradient<V, Q, even_odd> forward_y(b.tables->gradient, q, q);
    for (int i = 0; i < q; ++i) {
      Line<V, Q> out;
      ahead.step();
      forward_y.contract(InMemory<V>{u + i * w, q}, out);
      store_line<V, Q>(y + i * w, q, out, q);
    }
    for (int j = 0; j < q; ++j) {
      const int row = j * q * w;
      Line<V, Q> flux, out;
      forward_x.contract(InMemory<V>{u + row, 1}, flux);
      metric.row(j, k);
      ahead.step();
      ahead.step();
#pragma GCC unroll 14
      for (int i = 0; i < q; ++i) {
        const int at = row + i * w;
        Register flux_y = V::hold(V::load(y + at)), flux_z = V::hold(V::load(z + at));
        metric.apply(i, flux[i], flux_y, flux_z);
        V::store(y + at, flux_y);
        V::store(z + at, flux_z);
      }
      backward_x.contract(InRegisters<V>{flux}, out);
      store_line<V, Q>(u + row, 1, out, q);
    }
    const Gradient<V, Q, even_odd> backward_y(b.tables->gradient_t, q, q);
    for (int i = 0; i < q; ++i) {
      Line<V, Q> out;
      ahead.step();
      backward_y.contract(InMemory<V>{y + i * w, q}, out);
      add_line<V, Q>(u + i * w, q, out, q);
      store_line<V, Q>(u + i * w, q, out, q);
    }
  }
}

template <typename V, int Q, bool even_odd>
constexpr GradientPasses<typename V::Scalar> gradient_passes() {
  return {{read_and_gradient_z<V, Q, even_odd, ElementLines>,
           read_and_gradient_z<V, Q, even_odd, AssembledLines>},
          {gradient_planes<V, Q, even_odd, StoredMetric>,
           gradient_planes<V, Q, even_odd, TrilinearMetric>,
           gradient_planes<V, Q, even_odd, AffineMetric>},
          {gradient_z_transposed_and_add<V, Q, even_odd, ElementLines>,
           gradient_z_transposed_and_add<V, Q, even_odd, AssembledLines>}};
}

template <typename V, int Q = V::largest_size>
constexpr void fill(GradientTable<typename V::Scalar>& table) {
  if constexpr (Q > 0) {
    table.of[Q][0] = gradient_passes<V, Q, false>();
    table.of[Q][1] = gradient_passes<V, Q, true>();
  }
  if constexpr (Q > fewest_nodes) fill<V, Q - 1>(table);
}

template <typename V>
constexpr GradientTable<typename V::Scalar> gradient_table() {
  GradientTable<typename V::Scalar> table{};
  fill<V>(table);
  if constexpr (V::largest_size < most_points) {
    table.of[0][0] = gradient_passes<V, 0, false>();
    table.of[0][1] = gradient_passes<V, 0, true>();
  }
  return table;
}

}  // namespace
}  // namespace hpclab::operators
