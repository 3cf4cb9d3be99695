// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/direct_evaluation.hpp"

#include <cstddef>

namespace hpclab::operators {
namespace {

struct Jacobian {
  double determinant = 0;
  double cofactor[3][3] = {};  ///< of d physical a / d reference b: [a][b]
};

Jacobian jacobian_at(const std::array<Point, 8>& corners, const double* at) {
  double j[3][3] = {};
  for (int corner = 0; corner < 8; ++corner) {
    for (int b = 0; b < 3; ++b) {
      double slope = 0.125;
      for (int d = 0; d < 3; ++d) {
        const double side = (corner >> d & 1) != 0 ? 1 : -1;
        slope *= d == b ? side : 1 + side * at[d];
      }
      for (int a = 0; a < 3; ++a) j[a][b] += slope * corners[static_cast<std::size_t>(corner)][a];
    }
  }
  Jacobian result;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
      result.cofactor[a][b] = j[a1][b1] * j[a2][b2] - j[a1][b2] * j[a2][b1];
    }
  }
  for (int b = 0; b < 3; ++b) result.determinant += j[0][b] * result.cofactor[0][b];
  return result;
}

}  // namespace

DirectEvaluation::DirectEvaluation(const ElementOperator& o)
    : nodes_(o.nodes()), points_(o.quadrature), mass_(is_mass(o.kind)) {
  const ReferenceElement element = reference_element(o);
  for (int q = 0; q < points_; ++q) {
    at_.push_back(static_cast<double>(element.points.points[q]));
    weights_.push_back(static_cast<double>(element.points.weights[q]));
    for (int i = 0; i < nodes_; ++i) {
      values_.push_back(static_cast<double>(element.values(q, i)));
      slopes_.push_back(static_cast<double>(element.derivatives(q, i)));
    }
  }
}

std::vector<double> DirectEvaluation::apply(const std::array<Point, 8>& corners,
                                            std::span<const double> u) const {
  const std::size_t size = u.size();
  std::vector<double> result(size);
  std::vector<std::array<double, 4>> basis(size);  // value and derivatives by reference coordinates
  for (int point = 0; point < points_ * points_ * points_; ++point) {
    const int q[3] = {point % points_, point / points_ % points_, point / points_ / points_};
    const double at[3] = {at_[q[0]], at_[q[1]], at_[q[2]]};
    const Jacobian jacobian = jacobian_at(corners, at);
    const double weight = weights_[q[0]] * weights_[q[1]] * weights_[q[2]];
    std::array<double, 4> sum{};
    for (std::size_t node = 0; node < size; ++node) {
      const int i[3] = {static_cast<int>(node) % nodes_, static_cast<int>(node) / nodes_ % nodes_,
                        static_cast<int>(node) / nodes_ / nodes_};
      double value[3], slope[3];
      for (int d = 0; d < 3; ++d) {
        value[d] = values_[q[d] * nodes_ + i[d]];
        slope[d] = slopes_[q[d] * nodes_ + i[d]];
      }
      basis[node] = {value[0] * value[1] * value[2], slope[0] * value[1] * value[2],
                     value[0] * slope[1] * value[2], value[0] * value[1] * slope[2]};
      for (std::size_t part = 0; part < 4; ++part) sum[part] += basis[node][part] * u[node];
    }
    std::array<double, 4> flux{};
    if (mass_) {
      flux[0] = weight * jacobian.determinant * sum[0];
    } else {
      for (int a = 0; a < 3; ++a) {
        double derivative = 0;  // by physical coordinate a, times the determinant
        for (std::size_t b = 0; b < 3; ++b) derivative += jacobian.cofactor[a][b] * sum[b + 1];
        for (std::size_t b = 0; b < 3; ++b)
          flux[b + 1] += weight / jacobian.determinant * jacobian.cofactor[a][b] * derivative;
      }
    }
    for (std::size_t node = 0; node < size; ++node)
      for (std::size_t part = 0; part < 4; ++part) result[node] += basis[node][part] * flux[part];
  }
  return result;
}

}  // namespace hpclab::operators
