// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/littles_law.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

constexpr double line_bytes = 64;
constexpr double largest_sharpness = 32;

// All in logarithms: log_slope = ln(64 / latency), log_max = ln(max).
struct Curve {
  double log_slope;
  double log_max;
  double sharpness;

  // ln bandwidth, and its derivative by log_slope in `share` (the one by log_max is 1 - share).
  // Written around the smaller of the two limits so that no power overflows.
  double log_bandwidth(double lines, double& share) const {
    const double log_little = log_slope + std::log(lines);
    const double low = std::min(log_little, log_max);
    const double little = std::exp(-sharpness * (log_little - low));
    const double ceiling = std::exp(-sharpness * (log_max - low));
    share = little / (little + ceiling);
    return low - std::log(little + ceiling) / sharpness;
  }
};

double sum_of_squares(const Curve& curve, std::span<const ConcurrencyPoint> points) {
  double sum = 0;
  double share = 0;
  for (const ConcurrencyPoint& point : points) {
    const double error =
        curve.log_bandwidth(point.lines_in_flight, share) - std::log(point.bandwidth_bytes_per_s);
    sum += error * error;
  }
  return sum;
}

// Gauss-Newton with Levenberg's damping on the two asymptotes.
Curve fit_asymptotes(double sharpness, std::span<const ConcurrencyPoint> points) {
  Curve curve{-1e300, -1e300, sharpness};
  for (const ConcurrencyPoint& point : points) {
    const double log_bandwidth = std::log(point.bandwidth_bytes_per_s);
    curve.log_slope = std::max(curve.log_slope, log_bandwidth - std::log(point.lines_in_flight));
    curve.log_max = std::max(curve.log_max, log_bandwidth);
  }
  double sum = sum_of_squares(curve, points);
  double damping = 1e-3;
  for (int iteration = 0; iteration < 200 && damping < 1e9; ++iteration) {
    double a = 0, b = 0, d = 0, gradient_slope = 0, gradient_max = 0;
    for (const ConcurrencyPoint& point : points) {
      double share = 0;
      const double error =
          curve.log_bandwidth(point.lines_in_flight, share) - std::log(point.bandwidth_bytes_per_s);
      a += share * share;
      b += share * (1 - share);
      d += (1 - share) * (1 - share);
      gradient_slope += share * error;
      gradient_max += (1 - share) * error;
    }
    a += damping;
    d += damping;
    const double determinant = a * d - b * b;
    // Half a unit of the logarithm a step keeps a flat direction (no saturation in the data) from
    // running away.
    const auto step = [determinant](double numerator) {
      return std::clamp(numerator / determinant, -0.5, 0.5);
    };
    Curve next = curve;
    next.log_slope -= step(d * gradient_slope - b * gradient_max);
    next.log_max -= step(a * gradient_max - b * gradient_slope);
    const double next_sum = sum_of_squares(next, points);
    if (next_sum < sum) {
      const bool converged = sum - next_sum < 1e-14 * sum;
      curve = next;
      sum = next_sum;
      damping = std::max(damping * 0.3, 1e-12);
      if (converged) break;
    } else {
      damping *= 4;
    }
  }
  return curve;
}

Curve fit_curve(std::span<const ConcurrencyPoint> points) {
  const auto error_at = [points](double log_sharpness) {
    return sum_of_squares(fit_asymptotes(std::exp(log_sharpness), points), points);
  };
  // A coarse scan guards the golden section against a second minimum.
  const double step = std::log(largest_sharpness) / 16;
  double best = 0;
  for (int i = 1; i <= 16; ++i) {
    if (error_at(i * step) < error_at(best)) best = i * step;
  }
  constexpr double golden = 0.6180339887498949;
  double low = std::max(0.0, best - step);
  double high = std::min(std::log(largest_sharpness), best + step);
  while (high - low > 1e-4) {
    const double left = high - golden * (high - low);
    const double right = low + golden * (high - low);
    if (error_at(left) <= error_at(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return fit_asymptotes(std::exp(0.5 * (low + high)), points);
}

}  // namespace

double LittlesLawFit::bandwidth_bytes_per_s(double lines_in_flight) const {
  double share = 0;
  const Curve curve{std::log(line_bytes / latency_s), std::log(max_bytes_per_s), sharpness};
  return std::exp(curve.log_bandwidth(lines_in_flight, share));
}

LittlesLawFit fit_littles_law(std::span<const ConcurrencyPoint> points, double cores) {
  if (points.size() < 3) {
    throw UsageError(
        fmt::format("Little's law fit: {} points; at least 3 are needed", points.size()));
  }
  double largest = 0;
  for (const ConcurrencyPoint& point : points) {
    if (!(point.lines_in_flight > 0 && point.bandwidth_bytes_per_s > 0 &&
          std::isfinite(point.lines_in_flight) && std::isfinite(point.bandwidth_bytes_per_s))) {
      throw UsageError(
          fmt::format("Little's law fit: point ({} lines, {} B/s) is not positive and finite",
                      point.lines_in_flight, point.bandwidth_bytes_per_s));
    }
    largest = std::max(largest, point.bandwidth_bytes_per_s);
  }
  if (!(cores > 0)) throw UsageError(fmt::format("Little's law fit: {} cores; at least 1", cores));
  const Curve curve = fit_curve(points);
  LittlesLawFit fit;
  fit.latency_s = line_bytes * std::exp(-curve.log_slope);
  fit.max_bytes_per_s = std::exp(curve.log_max);
  fit.sharpness = curve.sharpness;
  fit.lines_needed = fit.max_bytes_per_s * fit.latency_s / line_bytes;
  fit.lines_kept_per_core = largest * fit.latency_s / line_bytes / cores;
  fit.relative_residual =
      std::sqrt(sum_of_squares(curve, points) / static_cast<double>(points.size()));
  fit.saturated = largest > 0.7 * fit.max_bytes_per_s;
  return fit;
}

}  // namespace hpclab::roofline::ceilings
