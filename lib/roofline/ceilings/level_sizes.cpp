// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "roofline/ceilings/levels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {

std::vector<std::size_t> sweep_sizes(std::size_t min_bytes, std::size_t max_bytes,
                                     int points_per_octave, std::size_t granularity_bytes) {
  if (min_bytes == 0 || max_bytes < min_bytes) {
    throw UsageError(fmt::format("sweep from {} to {} B is empty", min_bytes, max_bytes));
  }
  if (points_per_octave < 1 || points_per_octave > 64) {
    throw UsageError(fmt::format("{} points an octave; the range is 1 to 64", points_per_octave));
  }
  if (granularity_bytes == 0) throw UsageError("sweep: granularity is 0 B; a cache line is 64 B");
  const auto rounded = [granularity_bytes](double bytes) {
    const auto granule = static_cast<double>(granularity_bytes);
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(bytes / granule))) *
           granularity_bytes;
  };
  const double octaves = std::log2(static_cast<double>(max_bytes) / static_cast<double>(min_bytes));
  const auto steps = static_cast<int>(std::floor(octaves * points_per_octave + 1e-9));
  std::vector<std::size_t> sizes;
  for (int step = 0; step <= steps; ++step) {
    sizes.push_back(rounded(static_cast<double>(min_bytes) *
                            std::exp2(static_cast<double>(step) / points_per_octave)));
  }
  sizes.push_back(rounded(static_cast<double>(max_bytes)));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<SizeComparison> compare_sizes(const LevelMap& map, std::span<const KnownSize> known) {
  std::vector<SizeComparison> comparisons;
  for (const KnownSize& size : known) {
    SizeComparison comparison{size, 0, 0};
    double nearest = 1.0;  // octaves
    for (const LevelBoundary& boundary : map.boundaries) {
      const double distance = std::abs(std::log2(boundary.bytes / size.bytes));
      if (distance > nearest) continue;
      nearest = distance;
      comparison.boundary_bytes = boundary.bytes;
      comparison.ratio = boundary.bytes / size.bytes;
    }
    comparisons.push_back(comparison);
  }
  return comparisons;
}

}  // namespace hpclab::roofline::ceilings
