// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/import/launches.hpp"

#include "formats/fields.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

void sum_up(Point& total, Point point) {
  total.time_s.value += point.time_s.value;
  total.time_s.half_unit += point.time_s.half_unit;
  total.flops += point.flops;
  for (const auto& [level, bytes] : point.bytes) total.bytes[level] += bytes;
  for (const auto& [figure, value] : point.figures) total.figures[figure] = value;
  // The same thing said of a hundred launches is said once.
  for (std::string& finding : point.findings) {
    if (std::find(total.findings.begin(), total.findings.end(), finding) == total.findings.end() &&
        total.findings.size() < 4) {
      total.findings.push_back(std::move(finding));
    }
  }
  for (const Check& check : point.checks) {
    if (auto words = contradiction(check); words && total.findings.size() < 4)
      total.findings.push_back(fmt::format("{} ({})", *words, point.where));
  }
}

}  // namespace

std::optional<double> Launch::find(std::string_view counter) const {
  const auto found = counters.find(counter);
  if (found == counters.end()) return std::nullopt;
  return found->second;
}

bool Launch::has_all(std::initializer_list<std::string_view> names) const {
  return std::all_of(names.begin(), names.end(),
                     [&](std::string_view name) { return counters.contains(name); });
}

void LaunchPoints::add(const Launch& launch) {
  Point point = point_of_(launch);
  point.where = launch.where;
  point.name = formats::printable(launch.kernel, 200);
  const auto [found, fresh] = of_kernel_.try_emplace(launch.kernel, points_.size());
  if (!fresh && how_ == Launches::together) return add_to(found->second, std::move(point));
  points_.push_back(std::move(point));
  counts_.push_back(1);
}

void LaunchPoints::add_to(std::size_t kernel, Point point) {
  Point& total = points_[kernel];
  if (++counts_[kernel] == 2) {
    // From now on the printed figures are those of one launch among several.
    Point first = std::exchange(total, Point{});
    total.name = first.name;
    total.where = first.where;
    total.precision = first.precision;
    total.unit = first.unit;
    total.notes = first.notes;
    sum_up(total, std::move(first));
  }
  sum_up(total, std::move(point));
}

std::vector<Point> LaunchPoints::finish() {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] > 1) points_[i].notes.push_back(fmt::format("{} launches", counts_[i]));
  }
  return std::move(points_);
}

}  // namespace hpclab::roofline::import
