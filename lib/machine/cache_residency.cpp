// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/cache_residency.hpp"

#include <cmath>

namespace hpclab::machine {

double resident_share(double working_set_bytes, double cache_bytes) {
  const double ratio = working_set_bytes / cache_bytes;
  if (ratio <= 1) return 1;
  if (ratio >= 4) return 0;
  // From below, Newton's iteration rises to the smaller root: the function is convex there.
  double share = 0;
  for (int i = 0; i < 60; ++i) {
    const double image = std::exp(-ratio * (1 - share));
    const double slope = ratio * image - 1;
    if (slope >= -1e-12) break;
    const double next = share - (image - share) / slope;
    if (std::abs(next - share) < 1e-15) return next;
    share = next;
  }
  return share;
}

ResidentRange resident_range(double working_set_bytes, double cache_bytes) {
  ResidentRange range;
  range.expected = resident_share(working_set_bytes, cache_bytes);
  const double ratio = working_set_bytes / cache_bytes;
  range.low = ratio > 1 ? 0 : resident_share(working_set_bytes, cache_bytes / 2);
  range.high = ratio <= 1 ? 1 : ratio >= 4 ? 0 : 1 / ratio;
  return range;
}

}  // namespace hpclab::machine
