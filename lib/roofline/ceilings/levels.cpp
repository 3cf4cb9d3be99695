// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/levels.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

// The sweep in logarithms, ascending in working set: x in octaves, y = ln value without isolated
// outliers.
struct Curve {
  std::vector<double> x;
  std::vector<double> y;
  double noise = 0;
};

// Points first..last (included) of a curve.
struct Piece {
  std::size_t first;
  std::size_t last;
  double slope;  // per octave; 0 for a constant piece
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

double median_of_3(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// Of independent noise with deviation s, the second difference has deviation s sqrt(6), while a
// slope cancels; the median ignores the steps. The floor keeps a noiseless curve from being cut at
// every rounding.
double estimate_noise(const std::vector<double>& y) {
  std::vector<double> differences;
  for (std::size_t i = 1; i + 1 < y.size(); ++i) {
    differences.push_back(std::abs(y[i - 1] - 2 * y[i] + y[i + 1]));
  }
  return std::max(0.005, 1.4826 * median(differences) / std::sqrt(6.0));
}

Curve make_curve(std::vector<SweepPoint>& points) {
  std::sort(points.begin(), points.end(),
            [](const SweepPoint& a, const SweepPoint& b) { return a.bytes < b.bytes; });
  std::vector<double> raw;
  Curve curve;
  for (const SweepPoint& point : points) {
    curve.x.push_back(std::log2(point.bytes));
    raw.push_back(std::log(point.value));
  }
  curve.noise = estimate_noise(raw);
  curve.y = raw;
  for (std::size_t i = 1; i + 1 < raw.size(); ++i) {
    curve.y[i] = median_of_3(raw[i - 1], raw[i], raw[i + 1]);
  }
  return curve;
}

// Sums over a prefix of the curve, so that the fit of any piece costs a few operations.
class PieceCosts {
 public:
  explicit PieceCosts(const Curve& curve) : sums_(curve.x.size() + 1) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const double x = curve.x[i] - curve.x[0];
      const double y = curve.y[i] - curve.y[0];
      const Sums& s = sums_[i];
      sums_[i + 1] = {s.x + x, s.y + y, s.xx + x * x, s.xy + x * y, s.yy + y * y};
    }
  }

  // Sum of squared errors of the best constant, and of the best line with its slope.
  void fit(std::size_t first, std::size_t last, double& constant, double& line,
           double& slope) const {
    const Sums& a = sums_[first];
    const Sums& b = sums_[last + 1];
    const auto n = static_cast<double>(last + 1 - first);
    const double x = b.x - a.x, y = b.y - a.y;
    const double xx = b.xx - a.xx - x * x / n;
    const double xy = b.xy - a.xy - x * y / n;
    constant = std::max(0.0, b.yy - a.yy - y * y / n);
    slope = xx > 0 ? xy / xx : 0;
    line = std::max(0.0, constant - slope * xy);
  }

 private:
  struct Sums {
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  };
  std::vector<Sums> sums_;
};

// The partition into constant and sloping pieces of least (squared error / noise^2 + penalty). A
// constant has two parameters (its value and where it begins), a slope three, and each costs ln n.
std::vector<Piece> partition(const Curve& curve, const LevelOptions& options) {
  const std::size_t n = curve.x.size();
  const PieceCosts costs(curve);
  const double parameter = 1.5 * std::log(static_cast<double>(n));
  // Real plateaus are not flat to the last per mille, however repeatable their points.
  const double deviation = std::max(curve.noise, 0.25 * std::log1p(options.smallest_step));
  const double scale = 1 / (deviation * deviation);
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<Piece> last_piece(n + 1);
  best[0] = 0;
  for (std::size_t end = 1; end <= n; ++end) {
    for (std::size_t first = 0; first < end; ++first) {
      double constant = 0, line = 0, slope = 0;
      costs.fit(first, end - 1, constant, line, slope);
      const double as_constant = best[first] + scale * constant + 2 * parameter;
      const double as_line = best[first] + scale * line + 3 * parameter;
      const double least = std::min(as_constant, as_line);
      if (least >= best[end]) continue;
      best[end] = least;
      last_piece[end] = {first, end - 1, as_constant <= as_line ? 0 : slope};
    }
  }
  std::vector<Piece> pieces;
  for (std::size_t end = n; end > 0; end = last_piece[end].first) pieces.push_back(last_piece[end]);
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

struct Plateau {
  std::size_t first;
  std::size_t last;
  double y;  // median of the curve on it
};

double median_on(const Curve& curve, std::size_t first, std::size_t last) {
  return median({curve.y.begin() + static_cast<std::ptrdiff_t>(first),
                 curve.y.begin() + static_cast<std::ptrdiff_t>(last) + 1});
}

// Long enough, and constant or little inclined, in slope and in sum: a long gentle slope is no
// level.
std::vector<Plateau> long_plateaus(const Curve& curve, const std::vector<Piece>& pieces,
                                   const LevelOptions& options) {
  std::vector<Plateau> plateaus;
  for (const Piece& piece : pieces) {
    const double octaves = curve.x[piece.last] - curve.x[piece.first];
    const bool flat = std::abs(piece.slope) < std::log1p(options.largest_slope) &&
                      std::abs(piece.slope) * octaves < 3 * std::log1p(options.smallest_step);
    if (piece.last - piece.first < 2 || octaves < options.smallest_octaves || !flat) continue;
    plateaus.push_back({piece.first, piece.last, median_on(curve, piece.first, piece.last)});
  }
  return plateaus;
}

void merge_plateaus(std::vector<Plateau>& plateaus, const Curve& curve, SweepTrend trend,
                    const LevelOptions& options) {
  const double step = std::log1p(options.smallest_step);
  const double sign = trend == SweepTrend::falling ? 1 : -1;
  for (std::size_t i = 0; i + 1 < plateaus.size();) {
    const double drop = sign * (plateaus[i].y - plateaus[i + 1].y);
    if (drop >= step) {
      ++i;
      continue;
    }
    if (drop <= -step && i == 0) {
      plateaus.erase(plateaus.begin());
      continue;
    }
    const Plateau merged{plateaus[i].first, plateaus[i + 1].last, 0};
    plateaus[i] = merged;
    plateaus[i].y = median_on(curve, merged.first, merged.last);
    plateaus.erase(plateaus.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (i > 0) --i;
  }
}

// The pieces next to a plateau may have taken points that lie on it.
void grow_plateaus(std::vector<Plateau>& plateaus, const Curve& curve,
                   const LevelOptions& options) {
  const double tolerance = std::max(2 * curve.noise, 0.4 * std::log1p(options.smallest_step));
  const auto on = [&](const Plateau& plateau, std::size_t i) {
    return std::abs(curve.y[i] - plateau.y) <= tolerance;
  };
  for (std::size_t p = 0; p < plateaus.size(); ++p) {
    const std::size_t before = p == 0 ? 0 : plateaus[p - 1].last + 1;
    const std::size_t after = p + 1 == plateaus.size() ? curve.y.size() : plateaus[p + 1].first;
    while (plateaus[p].first > before && on(plateaus[p], plateaus[p].first - 1))
      --plateaus[p].first;
    while (plateaus[p].last + 1 < after && on(plateaus[p], plateaus[p].last + 1))
      ++plateaus[p].last;
  }
}

LevelBoundary boundary_between(const Plateau& upper, const Plateau& lower, const Curve& curve) {
  const double middle = 0.5 * (upper.y + lower.y);
  const double sign = upper.y > lower.y ? 1 : -1;
  LevelBoundary boundary{0, std::exp(std::abs(upper.y - lower.y))};
  std::size_t i = upper.last;
  while (i < lower.first && sign * (curve.y[i + 1] - middle) > 0) ++i;
  i = std::min(i, lower.first - 1);
  const double fall = curve.y[i] - curve.y[i + 1];
  const double share = fall == 0 ? 0.5 : std::clamp((curve.y[i] - middle) / fall, 0.0, 1.0);
  boundary.bytes = std::exp2(curve.x[i] + share * (curve.x[i + 1] - curve.x[i]));
  return boundary;
}

}  // namespace

LevelMap detect_levels(std::span<const SweepPoint> points, SweepTrend trend,
                       const LevelOptions& options) {
  if (points.size() < 5) {
    throw UsageError(
        fmt::format("level detection: {} points; at least 5, better 4 an octave", points.size()));
  }
  for (const SweepPoint& point : points) {
    if (!(point.bytes > 0 && point.value > 0 && std::isfinite(point.bytes) &&
          std::isfinite(point.value))) {
      throw UsageError(fmt::format("level detection: point ({} B, {}) is not positive and finite",
                                   point.bytes, point.value));
    }
  }
  std::vector<SweepPoint> sorted(points.begin(), points.end());
  const Curve curve = make_curve(sorted);
  std::vector<Plateau> plateaus = long_plateaus(curve, partition(curve, options), options);
  merge_plateaus(plateaus, curve, trend, options);
  grow_plateaus(plateaus, curve, options);
  LevelMap map;
  map.noise = curve.noise;
  for (std::size_t p = 0; p < plateaus.size(); ++p) {
    const Plateau& plateau = plateaus[p];
    std::vector<double> values;
    for (std::size_t i = plateau.first; i <= plateau.last; ++i) values.push_back(sorted[i].value);
    map.levels.push_back(
        {sorted[plateau.first].bytes, sorted[plateau.last].bytes, median(values), values.size()});
    if (p > 0) map.boundaries.push_back(boundary_between(plateaus[p - 1], plateau, curve));
  }
  return map;
}

}  // namespace hpclab::roofline::ceilings
