// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What one application of an element operator costs, counted exactly and once: models, reports,
// benchmarks and the comparison with hardware counters all read these counts.
#pragma once

#include "operators/element_operator.hpp"

#include <vector>

namespace hpclab::operators {

/// A contraction of `lines` lines of `columns` values with a rows x columns matrix: one sweep.
struct Contraction {
  int rows = 0;
  int columns = 0;
  double lines = 0;
  bool derivative = false;   ///< antisymmetric matrix of derivatives, else symmetric of values
  bool accumulates = false;  ///< adds to what the rows held
};

/// The sweeps of one application in the order of the textbook, nodes to points and back.
std::vector<Contraction> contractions(const ElementOperator& element_operator);

/// Points where the metric is applied: quadrature^3.
double points_per_element(const ElementOperator& element_operator);

/// Nodes of an element: (degree + 1)^3.
double nodes_per_element(const ElementOperator& element_operator);

/// Per element, for one application. DRAM bytes are the compulsory ones (nothing stays in a cache
/// from one application to the next).
struct ElementWork {
  double flops = 0;           ///< as executed: with even_odd, fewer multiply-adds but some adds
  double textbook_flops = 0;  ///< without even_odd: what the literature divides by
  double multiply_adds = 0;   ///< fused multiply-add instructions (elements of a vector)
  double other_flops = 0;     ///< additions and multiplications that fuse with nothing
  double vector_bytes = 0;    ///< in and out vectors
  double geometry_bytes = 0;  ///< metric, corners or parallelepiped numbers
  double index_bytes = 0;     ///< element-to-vector map (assembled vectors only)
  double dram_bytes() const { return vector_bytes + geometry_bytes + index_bytes; }
};

/// Counts of `element_operator`, per element of a large mesh (an assembled vector has degree^3
/// entries an element). A multiply-add counts as two operations whether or not there is something
/// to add to, as in the literature (12 n^4 + 15 n^3 for bk5 with n = degree + 1). The metric
/// itself, where it is computed from the element's corners, is in `trilinear_metric`. Source:
/// tensor-product sum factorisation, Orszag 1980; CEED bake-off definitions; nekRS axhelm counts.
ElementWork element_work(const ElementOperator& element_operator);

/// Operations of an even-odd contraction of values with n points over those of a dense one, where k
/// products are summed by k - 1 additions. 1 for n = 2, towards 1/2 for large n.
double even_odd_operation_ratio(int n);

/// Multiply-adds, other operations and divisions of the metric at one point from the element's
/// eight corners (geometry = trilinear): Jacobian, its cofactors, determinant and, for a Laplacian,
/// the symmetric product scaled by weight over determinant.
struct MetricWork {
  double multiply_adds = 0;
  double other_flops = 0;
  double divisions = 0;
};
MetricWork trilinear_metric(OperatorKind kind);

/// Degrees of freedom of an element in a large mesh: degree^3, the convention of nekRS and CEED.
double dof_per_element(const ElementOperator& element_operator);

}  // namespace hpclab::operators
