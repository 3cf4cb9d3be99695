// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Counters of kernel launches, from tables with a column a counter or a row a counter.
#pragma once

#include "roofline/import/log.hpp"
#include "roofline/import/point.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpclab::roofline::import {

/// One launch: what was counted, by the counters' names.
class Launch {
 public:
  std::string kernel;
  std::string where;
  std::map<std::string, double, std::less<>> counters;

  std::optional<double> find(std::string_view counter) const;
  /// 0 when it was not counted.
  double value_or_0(std::string_view counter) const { return find(counter).value_or(0); }
  /// Whether every one of these was counted.
  bool has_all(std::initializer_list<std::string_view> names) const;
};

/// Makes one point a launch, or one a kernel with the sums of times and counts, in the order of
/// first launches.
class LaunchPoints {
 public:
  using PointOf = std::function<Point(const Launch&)>;
  LaunchPoints(PointOf point_of, Launches how) : point_of_(std::move(point_of)), how_(how) {}
  void add(const Launch& launch);
  std::vector<Point> finish();

 private:
  void add_to(std::size_t kernel, Point point);

  PointOf point_of_;
  Launches how_;
  std::vector<Point> points_;
  std::vector<int> counts_;  // of launches, a point
  std::map<std::string, std::size_t> of_kernel_;
};

}  // namespace hpclab::roofline::import
