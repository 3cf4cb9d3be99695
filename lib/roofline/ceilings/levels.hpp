// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The levels of the memory hierarchy as a working-set sweep shows them, without asking the system
// for cache sizes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hpclab::roofline::ceilings {

/// One point of a sweep: working set and what was measured there (bandwidth or latency, any
/// positive unit).
struct SweepPoint {
  double bytes = 0;
  double value = 0;
};

/// How the value changes from one level to the next: bandwidth falls, latency rises.
enum class SweepTrend { falling, rising };

struct LevelOptions {
  /// Levels whose values differ by less (relative) are one level.
  double smallest_step = 0.12;
  /// A plateau spans at least this many factors of 2 in working set.
  double smallest_octaves = 0.6;
  /// A relative change per octave that is still called a plateau: the latency of a large cache
  /// creeps up with distance and page walks.
  double largest_slope = 0.17;
};

/// A range of working sets over which the value does not change.
struct Level {
  double first_bytes = 0;  ///< smallest and largest measured working set on the plateau
  double last_bytes = 0;   ///< (a lower bound of the usable capacity)
  double value = 0;        ///< median of the points on it
  std::size_t points = 0;
};

/// The step between one level and the next.
struct LevelBoundary {
  double bytes =
      0;  ///< where the sweep crosses the geometric mean of the two levels' values (interpolated in
          ///< the logarithms): an estimate of the capacity of the level above the step
  double ratio = 0;  ///< larger value / smaller value, > 1
};

struct LevelMap {
  std::vector<Level> levels;              ///< from the smallest working set up
  std::vector<LevelBoundary> boundaries;  ///< one fewer than levels
  double noise = 0;  ///< relative standard deviation of a point, estimated from the sweep
};

/// Finds plateaus and the steps between them: the logarithm of the value is cut, by dynamic
/// programming with a Schwarz (BIC) penalty, at the noise estimated from second differences (at
/// least a quarter of smallest_step), into constant and sloping pieces; constant (and nearly
/// constant) pieces that are long enough are plateaus, neighbours closer than smallest_step are
/// merged, and a plateau that runs against the trend is dropped when it comes first (start-up cost
/// of small working sets) or merged otherwise. Isolated outliers are removed by a running median
/// of 3. Points may come in any order; a sweep of at least 4 points an octave is advised. Throws
/// UsageError with fewer than 5 points or a non-positive value.
LevelMap detect_levels(std::span<const SweepPoint> points, SweepTrend trend,
                       const LevelOptions& options = {});

/// A cache size from elsewhere (operating system, data sheet), for comparison only.
struct KnownSize {
  std::string name;
  double bytes = 0;
};

/// A known size beside the boundary nearest to it.
struct SizeComparison {
  KnownSize known;
  double boundary_bytes = 0;  ///< 0 when no boundary lies within a factor of 2
  double ratio = 0;           ///< boundary / known; 0 when there is none
};

/// For each known size the nearest detected boundary (in the logarithm), within a factor of 2.
std::vector<SizeComparison> compare_sizes(const LevelMap& map, std::span<const KnownSize> known);

/// Working sets from min_bytes to max_bytes (both included after rounding), `points_per_octave`
/// geometric steps a factor of 2, each rounded to a multiple of `granularity_bytes`, ascending and
/// without repeats. Throws UsageError when the range is empty, points_per_octave is not in 1..64 or
/// the granularity is 0.
std::vector<std::size_t> sweep_sizes(std::size_t min_bytes, std::size_t max_bytes,
                                     int points_per_octave, std::size_t granularity_bytes = 64);

}  // namespace hpclab::roofline::ceilings
