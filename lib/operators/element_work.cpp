// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/element_work.hpp"

#include "operators/even_odd_shape.hpp"

namespace hpclab::operators {
namespace {

int points(const ElementOperator& o) {
  return is_collocated(o.kind) ? o.nodes() : o.quadrature;
}

/// Three sweeps between nodes and points; back is the transpose. `derivative`: the direction whose
/// matrix is that of derivatives, -1 for none. `accumulates` holds for the last sweep.
void add_interpolation(std::vector<Contraction>& sweeps, int n, int q, bool back, int derivative,
                       bool accumulates = false) {
  const double nn = n, qq = q;
  if (!back) {
    sweeps.push_back({q, n, nn * nn, derivative == 0});
    sweeps.push_back({q, n, nn * qq, derivative == 1});
    sweeps.push_back({q, n, qq * qq, derivative == 2});
  } else {
    sweeps.push_back({n, q, qq * qq, derivative == 2});
    sweeps.push_back({n, q, nn * qq, derivative == 1});
    sweeps.push_back({n, q, nn * nn, derivative == 0, accumulates});
  }
}

/// Derivatives at the points in three directions, one sweep each; back they add up.
void add_gradient(std::vector<Contraction>& sweeps, int q, bool back) {
  for (int direction = 0; direction < 3; ++direction)
    sweeps.push_back({q, q, static_cast<double>(q) * q, true, back && direction > 0});
}

// The sums and differences before and after fuse with nothing.
double even_odd_additions(int rows, int columns) {
  return 2.0 * (rows / 2) + 2.0 * (columns / 2);
}

void add(ElementWork& work, const Contraction& sweep, bool even_odd) {
  const Symmetry symmetry = sweep.derivative ? Symmetry::odd : Symmetry::even;
  work.textbook_flops += 2.0 * sweep.rows * sweep.columns * sweep.lines;
  work.multiply_adds += coefficients(sweep.rows, sweep.columns, symmetry, even_odd) * sweep.lines;
  if (even_odd) work.other_flops += even_odd_additions(sweep.rows, sweep.columns) * sweep.lines;
}

}  // namespace

std::vector<Contraction> contractions(const ElementOperator& o) {
  std::vector<Contraction> sweeps;
  const int n = o.nodes();
  const int q = points(o);
  for (const bool back : {false, true}) {
    if (o.sweeps == 18) {
      for (int component = 0; component < 3; ++component)
        add_interpolation(sweeps, n, q, back, component, component > 0);
      continue;
    }
    const bool interpolates = o.sweeps == 12 || is_mass(o.kind);
    if (interpolates && !back) add_interpolation(sweeps, n, q, back, -1);
    if (!is_mass(o.kind)) add_gradient(sweeps, q, back);
    if (interpolates && back) add_interpolation(sweeps, n, q, back, -1);
  }
  return sweeps;
}

double points_per_element(const ElementOperator& o) {
  const double q = points(o);
  return q * q * q;
}

double nodes_per_element(const ElementOperator& o) {
  const double n = o.nodes();
  return n * n * n;
}

double dof_per_element(const ElementOperator& o) {
  return static_cast<double>(o.degree) * o.degree * o.degree;
}

double even_odd_operation_ratio(int n) {
  const int even = (n + 1) / 2;
  const int odd = n / 2;
  const double products = coefficients(n, n, Symmetry::even, true);
  const double sums = even * (even - 1.0) + odd * (odd - 1.0);
  return (products + sums + even_odd_additions(n, n)) / (n * (2.0 * n - 1));
}

MetricWork trilinear_metric(OperatorKind kind) {
  // Jacobian: each of its nine entries is bilinear in the other two coordinates, three
  // multiply-adds. A cofactor is a product and a multiply-add, the determinant a product and two
  // multiply-adds.
  if (is_mass(kind)) return {27 + 3 + 2, 3 + 1 + 1, 0};
  // Symmetric product of the cofactors: six entries of a product and two multiply-adds, each scaled
  // by weight over determinant.
  return {27 + 9 + 2 + 12, 9 + 1 + 6 + 6, 1};
}

ElementWork element_work(const ElementOperator& o) {
  ElementWork work;
  for (const Contraction& sweep : contractions(o)) add(work, sweep, o.even_odd);
  // The metric is symmetric, 3 x 3: 9 multiplications and 6 additions a point; a mass matrix has 1.
  const double at_points = points_per_element(o);
  work.textbook_flops += (is_mass(o.kind) ? 1 : 15) * at_points;
  work.multiply_adds += (is_mass(o.kind) ? 0 : 6) * at_points;
  work.other_flops += (is_mass(o.kind) ? 1 : 3) * at_points;
  if (o.geometry == Geometry::trilinear) {
    const MetricWork metric = trilinear_metric(o.kind);
    work.multiply_adds += metric.multiply_adds * at_points;
    work.other_flops += (metric.other_flops + metric.divisions) * at_points;
  }
  work.flops = 2 * work.multiply_adds + work.other_flops;

  const double word = bytes_of(o.precision);
  const double nodes = nodes_per_element(o);
  work.vector_bytes = 2 * word * (is_assembled(o.kind) ? dof_per_element(o) : nodes);
  if (is_assembled(o.kind)) work.index_bytes = 4 * nodes;
  switch (o.geometry) {
    case Geometry::stored:
      work.geometry_bytes = word * (is_mass(o.kind) ? 1 : 6) * at_points;
      break;
    case Geometry::trilinear:
      work.geometry_bytes = word * 24;
      break;
    case Geometry::affine:
      work.geometry_bytes = word * (is_mass(o.kind) ? 1 : 6);
      break;
  }
  return work;
}

}  // namespace hpclab::operators
