// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Vectors -> cube of nodes in u, and back; what happens at points whatever the size. Included by
// files of one instruction set, hence internal linkage.
#pragma once

#include "operators/cpu_lines.hpp"
#include "operators/cpu_pass_tables.hpp"
#include "operators/cpu_pointwise.hpp"

namespace hpclab::operators {
namespace {

template <typename V, template <typename, int, int> class Lines>
void read_nodes(Batch<typename V::Scalar>& b) {
  const int n = b.nodes;
  const Lines<V, 0, 2> lines(b);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      Line<V, 0> line;
      lines.read(i, j, line);
      store_line<V, 0>(b.u + (j * n + i) * V::lanes, plane_stride(n), line, n);
    }
}

template <typename V, template <typename, int, int> class Lines>
void add_nodes(Batch<typename V::Scalar>& b) {
  const int n = b.nodes;
  const Lines<V, 0, 2> lines(b);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      Line<V, 0> line;
      const auto* from = b.u + (j * n + i) * V::lanes;
      for (int k = 0; k < n; ++k) line[k] = V::load(from + k * plane_stride(n) * V::lanes);
      lines.add(i, j, line);
    }
}

// g = metric g
template <typename V, template <typename> class Metric>
void metric_at_points(Batch<typename V::Scalar>& b) {
  constexpr int w = V::lanes;
  const int q = b.points;
  Metric<V> metric(b);
  for (int k = 0; k < q; ++k)
    for (int j = 0; j < q; ++j) {
      metric.row(j, k);
      const int row = (k * plane_stride(q) + j * q) * w;
      for (int i = 0; i < q; ++i) {
        const int at = row + i * w;
        auto x = V::load(b.g[0] + at), y = V::load(b.g[1] + at), z = V::load(b.g[2] + at);
        metric.apply(i, x, y, z);
        V::store(b.g[0] + at, x);
        V::store(b.g[1] + at, y);
        V::store(b.g[2] + at, z);
      }
    }
}

// g[0] = factors of a mass matrix, planes not padded
template <typename V, template <typename> class Determinant>
void mass_factors(Batch<typename V::Scalar>& b) {
  const int q = b.points;
  Determinant<V> determinant(b);
  auto* to = b.g[0];
  for (int k = 0; k < q; ++k)
    for (int j = 0; j < q; ++j) {
      determinant.row(j, k);
      for (int i = 0; i < q; ++i, to += V::lanes) V::store(to, determinant.at(i));
    }
}

template <typename V>
constexpr TransferTable<typename V::Scalar> transfer_table() {
  return {{read_nodes<V, ElementLines>, read_nodes<V, AssembledLines>},
          {add_nodes<V, ElementLines>, add_nodes<V, AssembledLines>},
          clear_untouched<V>,
          {metric_at_points<V, StoredMetric>, metric_at_points<V, TrilinearMetric>,
           metric_at_points<V, AffineMetric>},
          {nullptr, mass_factors<V, TrilinearDeterminant>, mass_factors<V, AffineDeterminant>}};
}

}  // namespace
}  // namespace hpclab::operators
