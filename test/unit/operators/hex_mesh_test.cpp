// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/hex_mesh.hpp"

#include "core/error.hpp"
#include "operators/hex_geometry.hpp"
#include "operators/vector_layout.hpp"
#include "support/catch.hpp"

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace {

using namespace hpclab;
using namespace hpclab::operators;

std::array<int, 3> sides(std::int64_t elements) {
  const BoxSplit split = near_cubic_split(elements);
  return {split.x, split.y, split.z};
}

}  // namespace

TEST_CASE("is the split near-cubic and of exactly that many elements?") {
  CHECK(sides(1) == std::array{1, 1, 1});
  CHECK(sides(7) == std::array{7, 1, 1});
  CHECK(sides(8) == std::array{2, 2, 2});
  CHECK(sides(12) == std::array{3, 2, 2});
  CHECK(sides(1000) == std::array{10, 10, 10});
  CHECK(sides(4096) == std::array{16, 16, 16});
  CHECK(sides(1001) == std::array{13, 11, 7});
  CHECK(sides(2147483647) == std::array{2147483647, 1, 1});
  for (int elements = 1; elements < 300; ++elements)
    CHECK(near_cubic_split(elements).elements() == elements);
  CHECK_THROWS_AS(near_cubic_split(0), UsageError);
  CHECK_THROWS_AS(near_cubic_split(2147483648), UsageError);
}

TEST_CASE("do corners lie where the map puts them, shared between neighbours?") {
  const HexMesh mesh({3, 2, 2}, sheared_cube);
  const auto corners = mesh.corners(1 + 3 * (1 + 2 * 1));
  for (int corner = 0; corner < 8; ++corner) {
    const Point expected = sheared_cube(
        {(1 + (corner & 1)) / 3.0, (1 + (corner >> 1 & 1)) / 2.0, (1 + (corner >> 2)) / 2.0});
    CHECK(corners[corner] == expected);
  }
  CHECK(mesh.corners(0)[7] == mesh.corners(1 + 3 * (1 + 2 * 1))[0]);
}

TEST_CASE("are the Jacobian and its metric those of a box and of a sheared cube?") {
  const HexMesh box({2, 4, 5});
  const Jacobian j = jacobian(box.corners(0), {0.3, -0.2, 0.9});
  CHECK(determinant(j) == Catch::Approx(0.25 * 0.125 * 0.1).epsilon(1e-14));
  const Metric metric = laplacian_metric(j);
  CHECK(metric[0] == Catch::Approx(0.125 * 0.1 / 0.25).epsilon(1e-14));
  CHECK(metric[3] == Catch::Approx(0.25 * 0.1 / 0.125).epsilon(1e-14));
  CHECK(metric[5] == Catch::Approx(0.25 * 0.125 / 0.1).epsilon(1e-14));
  CHECK(std::abs(metric[1]) + std::abs(metric[2]) + std::abs(metric[4]) < 1e-15);
  // det of the map's matrix over the 8 of a reference cube
  const HexMesh sheared({1, 1, 1}, sheared_cube);
  const double det = 1.1 * (0.9 * 1.2 - 0.25 * 0.2) - 0.3 * (0.1 * 1.2 + 0.25 * 0.15) -
                     0.2 * (0.1 * 0.2 + 0.9 * 0.15);
  CHECK(determinant(jacobian(sheared.corners(0), {})) == Catch::Approx(det / 8).epsilon(1e-14));
  CHECK(is_parallelepiped(sheared.corners(0)));
  CHECK(!is_parallelepiped(HexMesh({2, 2, 2}, deformed_cube).corners(0)));
}

TEST_CASE("does each node of an assembled vector have one entry, shared by its elements?") {
  for (const int lanes : {8, 16})
    for (const int degree : {1, 2, 5}) {
      const BoxSplit split{4, 3, 2};
      const VectorLayout layout(split, degree, true, lanes);
      std::map<std::size_t, std::tuple<int, int, int>> node_of;
      std::int64_t visits = 0;
      for (std::int64_t e = 0; e < split.elements(); ++e)
        for (int k = 0; k <= degree; ++k)
          for (int j = 0; j <= degree; ++j)
            for (int i = 0; i <= degree; ++i, ++visits) {
              const std::tuple node{static_cast<int>(e % 4) * degree + i,
                                    static_cast<int>(e / 4 % 3) * degree + j,
                                    static_cast<int>(e / 12) * degree + k};
              const std::size_t entry = layout.entry(e, i, j, k);
              REQUIRE(entry < layout.entries());
              const auto [at, first] = node_of.emplace(entry, node);
              CHECK(at->second == node);
            }
      CHECK(static_cast<std::int64_t>(node_of.size()) == layout.nodes());
      CHECK(layout.nodes() == (4 * degree + 1) * (3 * degree + 1) * (2 * degree + 1));
    }
}

TEST_CASE("does each node of an element vector have an entry of its own?") {
  const VectorLayout layout({3, 3, 1}, 3, false, 8);
  std::set<std::size_t> entries;
  for (int e = 0; e < 9; ++e)
    for (int node = 0; node < 64; ++node)
      entries.insert(layout.entry(e, node % 4, node / 4 % 4, node / 16));
  CHECK(entries.size() == 9 * 64);
  CHECK(*entries.rbegin() < layout.entries());
  CHECK(layout.nodes() == 9 * 64);
}

TEST_CASE("is a vector with more than 2^31 entries refused?") {
  CHECK_THROWS_AS(VectorLayout({2000, 1000, 1000}, 2, true, 8), CaseFailed);
}
