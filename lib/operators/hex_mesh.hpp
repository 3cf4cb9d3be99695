// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A box of hexahedra, each the trilinear image of the reference cube [-1, 1]^3.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace hpclab::operators {

/// Elements along x, y and z.
struct BoxSplit {
  int x = 1;
  int y = 1;
  int z = 1;
  std::int64_t elements() const { return std::int64_t{x} * y * z; }
};

/// The split of exactly `elements` hexahedra with the smallest surface, x >= y >= z (a prime count
/// is a bar). UsageError unless 1 <= elements <= 2^31 - 1.
BoxSplit near_cubic_split(std::int64_t elements);

using Point = std::array<double, 3>;

/// Images of the unit cube under which the mesh is made.
using CubeMap = std::function<Point(const Point&)>;
/// The unit cube itself: all elements are equal boxes.
Point unit_cube(const Point& x);
/// A parallelepiped, no two edges of equal length or at a right angle: all elements are alike and
/// their metric is full.
Point sheared_cube(const Point& x);
/// The unit cube with its inside moved by up to 4 % of its size: no two elements are alike, the
/// faces of the box stay where they are.
Point deformed_cube(const Point& x);

/// Element e = ex + split.x (ey + split.y ez).
class HexMesh {
 public:
  /// Vertices are the images of an even grid of the unit cube. CaseFailed when a coordinate is not
  /// finite (with its place), or when the vertices do not fit in memory.
  explicit HexMesh(const BoxSplit& split, const CubeMap& map = unit_cube);

  const BoxSplit& split() const { return split_; }
  std::int64_t elements() const { return split_.elements(); }

  /// The corner of element e at (-1 or 1)^3 of the reference cube: corner i + 2 j + 4 k.
  std::array<Point, 8> corners(std::int64_t element) const;

  /// Bytes that a mesh of this split holds.
  static std::uint64_t bytes(const BoxSplit& split);

 private:
  BoxSplit split_;
  std::vector<Point> vertices_;
};

}  // namespace hpclab::operators
