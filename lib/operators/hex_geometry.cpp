// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/hex_geometry.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::operators {
namespace {

// Cofactor of entry [a][b].
double cofactor(const Jacobian& j, int a, int b) {
  const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
  return j[a1][b1] * j[a2][b2] - j[a1][b2] * j[a2][b1];
}

}  // namespace

Jacobian jacobian(const std::array<Point, 8>& corners, const Point& xi) {
  Jacobian j{};
  for (int corner = 0; corner < 8; ++corner) {
    double sign[3], value[3];
    for (int d = 0; d < 3; ++d) {
      sign[d] = (corner >> d & 1) != 0 ? 0.5 : -0.5;
      value[d] = 0.5 + sign[d] * xi[d];
    }
    const double by[3] = {sign[0] * value[1] * value[2], value[0] * sign[1] * value[2],
                          value[0] * value[1] * sign[2]};
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) j[a][b] += corners[corner][a] * by[b];
  }
  return j;
}

double determinant(const Jacobian& j) {
  return j[0][0] * cofactor(j, 0, 0) + j[0][1] * cofactor(j, 0, 1) + j[0][2] * cofactor(j, 0, 2);
}

// J^-1 [b][a] = cofactor [a][b] / det, so det J^-1 J^-T = (columns of cofactors) / det.
Metric laplacian_metric(const Jacobian& j) {
  const double scale = 1 / determinant(j);
  Metric metric;
  int entry = 0;
  for (int b = 0; b < 3; ++b)
    for (int c = b; c < 3; ++c) {
      double sum = 0;
      for (int a = 0; a < 3; ++a) sum += cofactor(j, a, b) * cofactor(j, a, c);
      metric[entry++] = scale * sum;
    }
  return metric;
}

void require_valid(const Jacobian& j, std::int64_t element, const Point& xi) {
  const double det = determinant(j);
  if (std::isfinite(det) && det > 0) return;
  throw CaseFailed(fmt::format(
      "geometry: element {} is {} at reference point ({:.3g}, {:.3g}, {:.3g}): the determinant of "
      "its Jacobian is {:.3g}",
      element, std::isfinite(det) ? "folded, inverted or flat" : "undefined", xi[0], xi[1], xi[2],
      det));
}

bool is_parallelepiped(const std::array<Point, 8>& corners) {
  double size = 0, defect = 0;
  for (int a = 0; a < 3; ++a) {
    double edge[3];
    for (int d = 0; d < 3; ++d) {
      edge[d] = corners[1 << d][a] - corners[0][a];
      size = std::max(size, std::abs(edge[d]));
    }
    for (int corner = 0; corner < 8; ++corner) {
      double expected = corners[0][a];
      for (int d = 0; d < 3; ++d)
        if ((corner >> d & 1) != 0) expected += edge[d];
      defect = std::max(defect, std::abs(corners[corner][a] - expected));
    }
  }
  return defect <= 1e-9 * size;
}

}  // namespace hpclab::operators
