// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/element_operator.hpp"

#include "core/error.hpp"

#include <string>

namespace hpclab::operators {
namespace {

void require_between(const char* name, int value, int least, int most, const char* why) {
  if (value >= least && value <= most) return;
  const std::string valid =
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
  throw UsageError(std::string(name) + " = " + std::to_string(value) + " is out of range" + why +
                   "; valid is " + valid);
}

}  // namespace

int usual_quadrature(OperatorKind kind, int degree) {
  return is_collocated(kind) ? degree + 1 : degree + 2;
}

int fewest_sweeps(OperatorKind kind) {
  return is_mass(kind) || is_collocated(kind) ? 6 : 12;
}

std::string_view name_of(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::bk1:
      return "bk1";
    case OperatorKind::bk3:
      return "bk3";
    case OperatorKind::bk5:
      return "bk5";
    case OperatorKind::bp1:
      return "bp1";
    case OperatorKind::bp3:
      return "bp3";
    case OperatorKind::bp5:
      return "bp5";
  }
  return "";
}

std::string_view name_of(Precision precision) {
  return precision == Precision::fp64 ? "fp64" : "fp32";
}

std::string_view name_of(Geometry geometry) {
  switch (geometry) {
    case Geometry::stored:
      return "stored";
    case Geometry::trilinear:
      return "trilinear";
    case Geometry::affine:
      return "affine";
  }
  return "";
}

void require_valid(const ElementOperator& o) {
  require_between("degree", o.degree, smallest_degree, largest_degree, "");
  if (is_collocated(o.kind))
    require_between("quadrature", o.quadrature, o.nodes(), o.nodes(),
                    ": the points of bk5 and bp5 are the degree + 1 nodes");
  else
    require_between("quadrature", o.quadrature, o.nodes(), largest_quadrature,
                    ": with fewer points than nodes the operator is singular");
  if (is_mass(o.kind)) {
    require_between("sweeps", o.sweeps, 6, 6, ": mass has no gradient");
  } else {
    const int fewest = fewest_sweeps(o.kind);
    if (o.sweeps != fewest && o.sweeps != 18)
      throw UsageError("sweeps = " + std::to_string(o.sweeps) + " does not exist for " +
                       (is_collocated(o.kind) ? "bk5 and bp5" : "bk3 and bp3") + "; valid are " +
                       std::to_string(fewest) + " and 18");
  }
}

}  // namespace hpclab::operators
