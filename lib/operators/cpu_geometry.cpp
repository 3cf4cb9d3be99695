// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_geometry.hpp"

#include "core/error.hpp"

#include <string>

namespace hpclab::operators {

std::int64_t geometry_entries(const ElementOperator& o) {
  const std::int64_t points = std::int64_t{o.quadrature} * o.quadrature * o.quadrature;
  const std::int64_t numbers = is_mass(o.kind) ? 1 : 6;
  return lanes_of(o.precision) * (o.geometry == Geometry::stored      ? points * numbers
                                  : o.geometry == Geometry::trilinear ? 24
                                                                      : numbers);
}

GeometryWriter::GeometryWriter(const ElementOperator& o, const HexMesh& mesh,
                               const VectorLayout& layout, int register_lanes)
    : operator_(o),
      mesh_(mesh),
      layout_(layout),
      register_lanes_(register_lanes),
      reference_(reference_element(o)) {}

template <typename T>
void GeometryWriter::write_element(std::int64_t element, T* to) const {
  const auto corners = mesh_.corners(element);
  const auto next = [&](double number) {
    *to = static_cast<T>(number);
    to += register_lanes_;
  };
  // The operator at one point: weight 1 for affine, whose kernels multiply by the weights.
  const auto write_at = [&](const Jacobian& j, double weight) {
    if (is_mass(operator_.kind)) {
      next(weight * determinant(j));
    } else {
      for (const double number : laplacian_metric(j)) next(weight * number);
    }
  };
  if (operator_.geometry == Geometry::affine) {
    if (!is_parallelepiped(corners))
      throw CaseFailed("geometry: element " + std::to_string(element) +
                       " is no parallelepiped, so that affine geometry does not describe it; valid "
                       "are stored and trilinear");
    const Point centre{};
    const Jacobian j = jacobian(corners, centre);
    require_valid(j, element, centre);
    write_at(j, 1);
    return;
  }
  const auto& points = reference_.points.points;
  const auto& weights = reference_.points.weights;
  const int q = reference_.points.size();
  for (int k = 0; k < q; ++k)
    for (int j = 0; j < q; ++j)
      for (int i = 0; i < q; ++i) {
        const Point xi{static_cast<double>(points[i]), static_cast<double>(points[j]),
                       static_cast<double>(points[k])};
        const Jacobian at = jacobian(corners, xi);
        require_valid(at, element, xi);
        if (operator_.geometry == Geometry::stored)
          write_at(at, static_cast<double>(weights[i] * weights[j] * weights[k]));
      }
  if (operator_.geometry == Geometry::trilinear)
    for (const Point& corner : corners)
      for (const double coordinate : corner) next(coordinate);
}

template <typename T>
void GeometryWriter::write(std::int64_t batch, T* to) const {
  const int lanes = layout_.lanes();
  const std::int64_t numbers = geometry_entries(operator_) / lanes;  // of one element
  for (int lane = 0; lane < lanes; ++lane) {
    const int within = lane % register_lanes_;
    T* start = to + (lane - within) * numbers + within;
    const std::int64_t element = layout_.element(batch * lanes + lane);
    if (element >= 0) {
      write_element(element, start);
      continue;
    }
    for (std::int64_t number = 0; number < numbers; ++number) {
      const bool one = operator_.geometry == Geometry::trilinear &&
                       (number / 3 >> number % 3 & 1) != 0;  // corners of a unit cube
      start[number * register_lanes_] = static_cast<T>(one ? 1 : 0);
    }
  }
}

template void GeometryWriter::write<double>(std::int64_t, double*) const;
template void GeometryWriter::write<float>(std::int64_t, float*) const;

}  // namespace hpclab::operators
