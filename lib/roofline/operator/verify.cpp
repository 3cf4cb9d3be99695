// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/verify.hpp"

#include "core/error.hpp"
#include "operators/direct_evaluation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace hpclab::roofline::operator_ {
namespace {

using operators::ElementOperator;
using operators::HexMesh;

// Elements [begin, end) of the box in each direction.
struct Patch {
  std::array<int, 3> begin{};
  std::array<int, 3> end{};
};

std::array<int, 3> extents(const HexMesh& mesh) {
  return {mesh.split().x, mesh.split().y, mesh.split().z};
}

Patch patch_at(const HexMesh& mesh, std::int64_t element, bool assembled) {
  const std::array<int, 3> size = extents(mesh);
  const std::array<std::int64_t, 3> at{element % size[0], element / size[0] % size[1],
                                       element / size[0] / size[1]};
  Patch patch;
  for (std::size_t d = 0; d < 3; ++d) {
    const int width = assembled ? std::min(2, size[d]) : 1;
    patch.begin[d] = std::min(static_cast<int>(at[d]), size[d] - width);
    patch.end[d] = patch.begin[d] + width;
  }
  return patch;
}

// Whether every element at grid node g of direction d lies in the patch.
bool is_complete(const Patch& patch, const std::array<int, 3>& size, std::size_t d, int g,
                 int degree) {
  const bool below = g > patch.begin[d] * degree || patch.begin[d] == 0;
  const bool above = g < patch.end[d] * degree || patch.end[d] == size[d];
  return below && above;
}

struct Comparison {
  double expected = 0;
  double found = 0;
};

class Verifier {
 public:
  Verifier(const ElementOperator& o, const HexMesh& mesh, const NodeValue& in, const NodeValue& out)
      : operator_(o), mesh_(mesh), direct_(o), in_(in), out_(out) {}

  void compare_patch(const Patch& patch) {
    std::map<std::array<int, 3>, Comparison> nodes;
    for (int z = patch.begin[2]; z < patch.end[2]; ++z)
      for (int y = patch.begin[1]; y < patch.end[1]; ++y)
        for (int x = patch.begin[0]; x < patch.end[0]; ++x) add_element(patch, {x, y, z}, nodes);
    for (const auto& [place, node] : nodes) {
      largest_ = std::max(largest_, std::abs(node.expected));
      // A comparison that is false for what is not a number.
      const double error = std::abs(node.found - node.expected);
      if (!(error <= error_)) error_ = std::isfinite(error) ? error : HUGE_VAL;
    }
    compared_ += nodes.size();
  }

  Verified result() const {
    const double epsilon = operator_.precision == operators::Precision::fp64 ? 0x1p-53 : 0x1p-24;
    double tolerated = 40 * epsilon * operator_.nodes();
    // One Jacobian for all points of an element whose corners, rounded, are no exact
    // parallelepiped: coordinates are up to 2, edges one over the elements a direction.
    if (operator_.geometry == operators::Geometry::affine) {
      const std::array<int, 3> size = extents(mesh_);
      tolerated += 4 * 0x1p-53 * *std::max_element(size.begin(), size.end());
    }
    return {compared_, error_ / largest_, tolerated};
  }

 private:
  void add_element(const Patch& patch, const std::array<int, 3>& place,
                   std::map<std::array<int, 3>, Comparison>& nodes) {
    const std::array<int, 3> size = extents(mesh_);
    const std::int64_t element =
        place[0] + std::int64_t{size[0]} * (place[1] + std::int64_t{size[1]} * place[2]);
    const int n = operator_.nodes();
    std::vector<double> u;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) u.push_back(in_(element, i, j, k));
    const std::vector<double> image = direct_.apply(mesh_.corners(element), u);
    const bool assembled = operators::is_assembled(operator_.kind);
    for (int node = 0; node < n * n * n; ++node) {
      const std::array<int, 3> local{node % n, node / n % n, node / n / n};
      std::array<int, 3> global{};
      bool complete = true;
      for (std::size_t d = 0; d < 3; ++d) {
        global[d] = place[d] * operator_.degree + local[d];
        complete &= !assembled || is_complete(patch, size, d, global[d], operator_.degree);
      }
      if (!complete) continue;
      Comparison& comparison = nodes[global];
      comparison.expected += image[static_cast<std::size_t>(node)];
      comparison.found = out_(element, local[0], local[1], local[2]);
    }
  }

  const ElementOperator& operator_;
  const HexMesh& mesh_;
  operators::DirectEvaluation direct_;
  const NodeValue& in_;
  const NodeValue& out_;
  std::size_t compared_ = 0;
  double largest_ = 0;
  double error_ = 0;
};

}  // namespace

Verified verify(const ElementOperator& o, const HexMesh& mesh,
                const std::vector<std::int64_t>& elements, const NodeValue& in,
                const NodeValue& out) {
  Verifier verifier(o, mesh, in, out);
  for (const std::int64_t element : elements)
    verifier.compare_patch(patch_at(mesh, element, operators::is_assembled(o.kind)));
  const Verified result = verifier.result();
  if (!(result.largest_error <= result.tolerated_error)) {
    throw CaseFailed(
        fmt::format("the kernel's result differs from the direct evaluation by {:.2g} of the "
                    "largest entry, where rounding explains {:.2g}",
                    result.largest_error, result.tolerated_error));
  }
  return result;
}

}  // namespace hpclab::roofline::operator_
