// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Latency and saturation bandwidth from a bandwidth-against-concurrency curve.
#pragma once

#include <span>

namespace hpclab::roofline::ceilings {

/// One measured point: `lines_in_flight` independent cache lines (chains x cores) gave that
/// bandwidth.
struct ConcurrencyPoint {
  double lines_in_flight = 0;
  double bandwidth_bytes_per_s = 0;
};

/// The fit of bandwidth(N) = ((64 N / latency)^-q + max^-q)^(-1/q): Little's law at small N, the
/// ceiling at large N, and a corner whose sharpness is q (q -> infinity is min of the two).
struct LittlesLawFit {
  double latency_s = 0;        ///< unloaded latency
  double max_bytes_per_s = 0;  ///< saturation bandwidth
  double sharpness = 0;        ///< q, fitted within 1 to 32
  double lines_needed = 0;     ///< N* = max x latency / 64: where the two asymptotes meet
  double lines_kept_per_core =
      0;  ///< largest measured bandwidth x latency / 64 / cores: the lines that one core was
          ///< seen to keep in flight, by Little's law with the unloaded latency
  double relative_residual = 0;  ///< root mean square of ln(fit / measured)
  bool saturated =
      false;  ///< the points reach the ceiling: the largest lies above 70 % of the fitted max.
              ///< When false, max_bytes_per_s and lines_needed are extrapolations.

  /// The fitted bandwidth at that concurrency.
  double bandwidth_bytes_per_s(double lines_in_flight) const;
};

/// Fits latency, ceiling and sharpness by least squares of the relative error (exact in the
/// logarithm: Gauss-Newton on ln latency and ln max for each sharpness, golden-section search over
/// the sharpness). Throws UsageError with fewer than 3 points, or with a point that is not positive
/// and finite.
LittlesLawFit fit_littles_law(std::span<const ConcurrencyPoint> points, double cores = 1);

}  // namespace hpclab::roofline::ceilings
