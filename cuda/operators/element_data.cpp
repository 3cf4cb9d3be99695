// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/element_data.hpp"

#include "core/error.hpp"
#include "operators/hex_geometry.hpp"
#include "operators/reference_element.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace hpclab::operators {
namespace {

std::vector<double> as_doubles(const std::vector<long double>& values) {
  return {values.begin(), values.end()};
}

/// Writes the numbers of one element to `to`.
template <class T>
class GeometryWriter {
 public:
  explicit GeometryWriter(const ElementOperator& o)
      : operator_(o), components_(is_mass(o.kind) ? 1 : 6) {
    const QuadratureRule rule = reference_element(o).points;
    points_ = as_doubles(rule.points);
    weights_ = as_doubles(rule.weights);
  }

  void write(const std::array<Point, 8>& corners, std::int64_t element, T* to) const {
    // Between points the determinant may be what it likes, as in every quadrature.
    const std::size_t q = points_.size();
    for (std::size_t k = 0; k < q; ++k) {
      for (std::size_t j = 0; j < q; ++j) {
        for (std::size_t i = 0; i < q; ++i) {
          const Point xi{points_[i], points_[j], points_[k]};
          const Jacobian jacobian_here = jacobian(corners, xi);
          require_valid(jacobian_here, element, xi);
          if (operator_.geometry != Geometry::stored) continue;
          write_metric(jacobian_here, weights_[i] * weights_[j] * weights_[k],
                       to + i + q * (j + q * k), q * q * q);
        }
      }
    }
    if (operator_.geometry == Geometry::trilinear) {
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t c = 0; c < 8; ++c) to[8 * d + c] = static_cast<T>(corners[c][d]);
    } else if (operator_.geometry == Geometry::affine) {
      if (!is_parallelepiped(corners)) {
        throw CaseFailed(fmt::format(
            "geometry=affine needs parallelepipeds; element {} is none (use trilinear or stored)",
            element));
      }
      write_metric(jacobian(corners, Point{0, 0, 0}), 1, to, 1);
    }
  }

 private:
  void write_metric(const Jacobian& j, double weight, T* to, std::size_t stride) const {
    if (components_ == 1) {
      *to = static_cast<T>(weight * determinant(j));
      return;
    }
    const Metric metric = laplacian_metric(j);
    for (std::size_t c = 0; c < metric.size(); ++c)
      to[stride * c] = static_cast<T>(weight * metric[c]);
  }

  ElementOperator operator_;
  std::size_t components_;
  std::vector<double> points_, weights_;
};

}  // namespace

std::size_t geometry_numbers(const ElementOperator& o) {
  const std::size_t components = is_mass(o.kind) ? 1 : 6;
  const auto q = static_cast<std::size_t>(is_collocated(o.kind) ? o.nodes() : o.quadrature);
  switch (o.geometry) {
    case Geometry::stored:
      return components * q * q * q;
    case Geometry::trilinear:
      return 24;
    case Geometry::affine:
      break;
  }
  return components;
}

template <class T>
std::vector<T> element_geometry(const ElementOperator& o, const HexMesh& mesh,
                                const VectorLayout& layout) {
  const GeometryWriter<T> writer(o);
  const std::size_t size = geometry_numbers(o);
  std::vector<T> numbers(size * static_cast<std::size_t>(mesh.elements()));
  for (std::int64_t e = 0; e < mesh.elements(); ++e)
    writer.write(mesh.corners(e), e, numbers.data() + size * layout.slot(e));
  return numbers;
}
template std::vector<double> element_geometry(const ElementOperator&, const HexMesh&,
                                              const VectorLayout&);
template std::vector<float> element_geometry(const ElementOperator&, const HexMesh&,
                                             const VectorLayout&);

std::vector<std::int32_t> node_map(const VectorLayout& layout) {
  const int n = layout.degree() + 1;
  const std::int64_t elements = layout.split().elements();
  std::vector<std::int32_t> map(static_cast<std::size_t>(elements) * n * n * n);
  for (std::int64_t e = 0; e < elements; ++e) {
    std::int32_t* to = map.data() + layout.slot(e) * n * n * n;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) *to++ = static_cast<std::int32_t>(layout.entry(e, i, j, k));
  }
  return map;
}

std::vector<std::vector<std::uint32_t>> element_colours(const VectorLayout& layout) {
  std::vector<std::vector<std::uint32_t>> colours(8);
  const BoxSplit& split = layout.split();
  for (std::int64_t slot = 0; slot < split.elements(); ++slot) {
    const std::int64_t e = layout.element(slot);
    const auto x = e % split.x, y = e / split.x % split.y, z = e / split.x / split.y;
    colours[static_cast<std::size_t>(x % 2 + y % 2 * 2 + z % 2 * 4)].push_back(
        static_cast<std::uint32_t>(slot));
  }
  std::erase_if(colours, [](const auto& list) { return list.empty(); });
  return colours;
}

NodeSources node_sources(const std::vector<std::int32_t>& map, std::size_t entries) {
  NodeSources result;
  result.begins.assign(entries + 1, 0);
  for (const std::int32_t entry : map) ++result.begins[static_cast<std::size_t>(entry) + 1];
  for (std::size_t d = 0; d < entries; ++d) result.begins[d + 1] += result.begins[d];
  result.sources.resize(map.size());
  std::vector<std::uint32_t> next(result.begins.begin(), result.begins.end() - 1);
  for (std::size_t place = 0; place < map.size(); ++place)
    result.sources[next[static_cast<std::size_t>(map[place])]++] =
        static_cast<std::uint32_t>(place);
  return result;
}

}  // namespace hpclab::operators
