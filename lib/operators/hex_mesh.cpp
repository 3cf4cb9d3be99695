// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/hex_mesh.hpp"

#include "core/error.hpp"

#include <cmath>
#include <limits>
#include <new>
#include <numbers>
#include <string>
#include <tuple>

namespace hpclab::operators {
namespace {

std::string place(int x, int y, int z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}

}  // namespace

BoxSplit near_cubic_split(std::int64_t elements) {
  if (elements < 1 || elements > std::numeric_limits<std::int32_t>::max())
    throw UsageError("elements = " + std::to_string(elements) +
                     " is out of range; valid are 1 to 2147483647");
  BoxSplit best{static_cast<int>(elements), 1, 1};
  const auto surface = [](const BoxSplit& s) {
    return std::int64_t{s.x} * s.y + std::int64_t{s.y} * s.z + std::int64_t{s.x} * s.z;
  };
  for (std::int64_t z = 1; z * z * z <= elements; ++z) {
    if (elements % z != 0) continue;
    const std::int64_t layer = elements / z;
    for (std::int64_t y = z; y * y <= layer; ++y) {
      if (layer % y != 0) continue;
      const BoxSplit candidate{static_cast<int>(layer / y), static_cast<int>(y),
                               static_cast<int>(z)};
      if (surface(candidate) < surface(best)) best = candidate;
    }
  }
  return best;
}

Point unit_cube(const Point& x) {
  return x;
}

Point sheared_cube(const Point& x) {
  return {1.1 * x[0] + 0.3 * x[1] - 0.2 * x[2], 0.1 * x[0] + 0.9 * x[1] + 0.25 * x[2],
          -0.15 * x[0] + 0.2 * x[1] + 1.2 * x[2]};
}

Point deformed_cube(const Point& x) {
  const double pi = std::numbers::pi;
  const double bump = 0.04 * std::sin(pi * x[0]) * std::sin(pi * x[1]) * std::sin(pi * x[2]);
  return {x[0] + bump, x[1] - 0.8 * bump, x[2] + 0.6 * bump};
}

HexMesh::HexMesh(const BoxSplit& split, const CubeMap& map) : split_(split) {
  if (split.x < 1 || split.y < 1 || split.z < 1)
    throw UsageError("a box of " + place(split.x, split.y, split.z) +
                     " elements is empty; each direction takes at least 1");
  try {
    vertices_.reserve(bytes(split) / sizeof(Point));
  } catch (const std::exception&) {
    throw CaseFailed(
        "the vertices of the mesh do not fit in memory: " + std::to_string(bytes(split)) + " B");
  }
  for (int z = 0; z <= split.z; ++z)
    for (int y = 0; y <= split.y; ++y)
      for (int x = 0; x <= split.x; ++x) {
        const Point vertex =
            map({static_cast<double>(x) / split.x, static_cast<double>(y) / split.y,
                 static_cast<double>(z) / split.z});
        for (const double coordinate : vertex)
          if (!std::isfinite(coordinate))
            throw CaseFailed("geometry: vertex " + place(x, y, z) +
                             " of the mesh has a coordinate that is not finite");
        vertices_.push_back(vertex);
      }
}

std::array<Point, 8> HexMesh::corners(std::int64_t element) const {
  const std::int64_t ex = element % split_.x, ey = element / split_.x % split_.y,
                     ez = element / split_.x / split_.y;
  std::array<Point, 8> result;
  for (int corner = 0; corner < 8; ++corner) {
    const std::int64_t x = ex + (corner & 1), y = ey + (corner >> 1 & 1), z = ez + (corner >> 2);
    result[corner] = vertices_[x + (split_.x + 1) * (y + (split_.y + 1) * z)];
  }
  return result;
}

std::uint64_t HexMesh::bytes(const BoxSplit& split) {
  return (std::uint64_t(split.x) + 1) * (std::uint64_t(split.y) + 1) *
         (std::uint64_t(split.z) + 1) * sizeof(Point);
}

}  // namespace hpclab::operators
