// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Which matrix-free operator is meant: the CEED bake-off kernels (BK, element vectors in and out)
// and bake-off problems (BP, assembled vectors in and out) on hexahedra, and how it is evaluated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hpclab::operators {

/// 1: mass with `quadrature` Gauss points; 3: Laplacian with `quadrature` Gauss points; 5:
/// Laplacian collocated on the degree + 1 Gauss-Lobatto nodes. bk: element vectors; bp: assembled
/// vectors.
enum class OperatorKind { bk1, bk3, bk5, bp1, bp3, bp5 };

enum class Precision { fp64, fp32 };

/// Where the metric at a quadrature point comes from: read from memory (6 numbers a point for a
/// Laplacian, 1 for mass), computed from the 8 corners of the element, or from the 6 (1) numbers of
/// a parallelepiped.
enum class Geometry { stored, trilinear, affine };

/// One operator and how its sums are arranged.
struct ElementOperator {
  OperatorKind kind = OperatorKind::bk5;
  int degree = 5;      ///< p: degree + 1 nodes a direction
  int quadrature = 6;  ///< q: points a direction; degree + 1 for the collocated kinds
  Precision precision = Precision::fp64;
  Geometry geometry = Geometry::stored;
  /// One-dimensional contractions of one application: 6 collocated gradient and its transpose, 12
  /// interpolation and collocated gradient at the quadrature points, 18 every component of the
  /// gradient by three sweeps of its own; mass: 6.
  int sweeps = 6;
  bool even_odd = true;  ///< contractions use the symmetry of nodes and points

  int nodes() const { return degree + 1; }
};

inline bool is_mass(OperatorKind kind) {
  return kind == OperatorKind::bk1 || kind == OperatorKind::bp1;
}
inline bool is_collocated(OperatorKind kind) {
  return kind == OperatorKind::bk5 || kind == OperatorKind::bp5;
}
inline bool is_assembled(OperatorKind kind) {
  return kind >= OperatorKind::bp1;
}
inline int bytes_of(Precision precision) {
  return precision == Precision::fp64 ? 8 : 4;
}

inline constexpr int smallest_degree = 1;
inline constexpr int largest_degree = 12;
inline constexpr int largest_quadrature = 14;

/// Points a direction by the definition of the bake-off kind: degree + 1 where collocated, else
/// degree + 2.
int usual_quadrature(OperatorKind kind, int degree);

/// The fewest sweeps that evaluate the kind: 6 for mass and collocated Laplacian, else 12.
int fewest_sweeps(OperatorKind kind);

std::string_view name_of(OperatorKind kind);
std::string_view name_of(Precision precision);
std::string_view name_of(Geometry geometry);

/// UsageError, with what would be valid, for an operator that does not exist: degree 1 to 12;
/// quadrature degree + 1 for the collocated kinds, else degree + 1 to 14 (fewer points make the
/// operator singular); sweeps 6 for mass, 6 or 18 for collocated Laplacians, 12 or 18 for the
/// others.
void require_valid(const ElementOperator& element_operator);

}  // namespace hpclab::operators
