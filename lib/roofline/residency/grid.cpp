// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/residency/grid.hpp"

#include <algorithm>

namespace hpclab::roofline::residency {

Grid grid_of(Stencil stencil, std::int64_t points) {
  Grid grid{stencil, 3};
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(points, 0));
  const double root = stencil == Stencil::seven_point ? std::cbrt(static_cast<double>(wanted))
                                                      : std::sqrt(static_cast<double>(wanted));
  grid.edge = std::max(3u, static_cast<std::uint32_t>(root));
  // The root may be rounded either way.
  while (Grid{stencil, grid.edge + 1}.points() <= wanted) ++grid.edge;
  while (grid.edge > 3 && grid.points() > wanted) --grid.edge;
  return grid;
}

}  // namespace hpclab::roofline::residency
