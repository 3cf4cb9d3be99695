// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What the shape of a trilinear hexahedron contributes to a mass matrix or a Laplacian.
#pragma once

#include "operators/hex_mesh.hpp"

#include <array>

namespace hpclab::operators {

/// Derivatives of physical coordinate a by reference coordinate b: entry [a][b].
using Jacobian = std::array<std::array<double, 3>, 3>;

/// At reference point `xi` in [-1, 1]^3 of the hexahedron with these corners (corner i + 2 j + 4
/// k).
Jacobian jacobian(const std::array<Point, 8>& corners, const Point& xi);
double determinant(const Jacobian& j);

/// det(J) J^-1 J^-T without quadrature weight, symmetric: entries xx, xy, xz, yy, yz, zz.
using Metric = std::array<double, 6>;
Metric laplacian_metric(const Jacobian& j);

/// CaseFailed, naming element and place, unless the Jacobian's determinant is positive and finite
/// at `xi`: a folded, inverted, flat or undefined element has no operator.
void require_valid(const Jacobian& j, std::int64_t element, const Point& xi);

/// Whether opposite edges are equal to 1e-9 of the element's size, so that one Jacobian serves all
/// points.
bool is_parallelepiped(const std::array<Point, 8>& corners);

}  // namespace hpclab::operators
