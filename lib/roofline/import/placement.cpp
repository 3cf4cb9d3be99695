// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/import/placement.hpp"

#include "core/units.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

using machine::Figure;
using machine::MachineKind;
using machine::MachineProfile;

/// How far a rate may lie above a theoretical limit and still be rounding, and above a measured one
/// and still be another day.
constexpr double above_theory = 1.005;
constexpr double above_measured = 1.05;

double value_or_0(const MachineProfile& profile, const char* group, const char* figure) {
  const Figure* found = profile.find(group, figure);
  return found ? found->value : 0;
}

// The level that serves a working set which is swept again and again.
std::string level_of(const Point& point, const MachineProfile& profile) {
  const double total = point.working_set_bytes;
  const double whole = last_level_cache_bytes(profile);
  if (profile.kind == MachineKind::gpu) return whole > 0 && total <= whole ? "l2" : "dram";
  const double cores = std::max(1.0, value_or_0(profile, "processor", "core_count"));
  const double a_core =
      point.working_set_a_thread_bytes > 0 ? point.working_set_a_thread_bytes : total / cores;
  if (a_core <= value_or_0(profile, "l1", "size_bytes")) return "l1";
  if (a_core <= value_or_0(profile, "l2", "size_bytes")) return "l2";
  return whole > 0 && total <= whole ? "l3" : "dram";
}

const Figure* bandwidth_figure(const MachineProfile& profile, const std::string& level,
                               const std::string& traffic, std::string& kind) {
  // The same kind of traffic, else reads, which are the fastest, else what there is.
  for (const std::string& candidate :
       {traffic, std::string("read"), std::string("triad"), std::string("copy"),
        std::string("scale"), std::string("update"), std::string("theoretical")}) {
    if (candidate.empty()) continue;
    if (const Figure* found = profile.find(level, candidate + "_bytes_per_s")) {
      kind = candidate;
      return found;
    }
  }
  return nullptr;
}

// What no transfer can exceed: theory, else the largest of what was measured.
double limit_of_level(const MachineProfile& profile, const std::string& level, bool& theory) {
  const Figure* documented = profile.find(level, "theoretical_bytes_per_s");
  theory = documented != nullptr;
  if (theory) return documented->value * above_theory;
  double largest = 0;
  const auto group = profile.figures().find(level);
  if (group == profile.figures().end()) return 0;
  for (const auto& [name, figure] : group->second) {
    if (!name.ends_with("_bytes_per_s") || name.starts_with("core_")) continue;
    largest = std::max(largest, figure.interval95 ? (*figure.interval95)[1] : figure.value);
  }
  return largest * above_measured;
}

const Figure* peak_figure(const MachineProfile& profile, const std::string& precision,
                          const std::string& unit, std::string& name) {
  std::vector<std::string> units{unit};
  if (unit == "vector") units.insert(units.end(), {"avx512", "avx2", "scalar"});
  for (const std::string& candidate : units) {
    name = fmt::format("{} {} peak", precision, candidate);
    if (const Figure* found =
            profile.find("peak", fmt::format("{}_{}_flops_per_s", precision, candidate)))
      return found;
  }
  return nullptr;
}

std::string rate_text(double value, bool flops) {
  return readable(flops ? "x_flops_per_s" : "x_bytes_per_s", value).text();
}

void place_flops(const Point& point, const MachineProfile& profile, Placement& placement) {
  const std::string precision = point.precision.empty() ? "fp64" : point.precision;
  if (point.precision.empty())
    placement.notes.emplace_back("the log does not state the precision: fp64 is taken");
  std::string name;
  const Figure* peak = peak_figure(profile, precision, point.unit, name);
  if (!peak) {
    placement.notes.push_back(fmt::format("profile {} states no peak of {} {} units", profile.name,
                                          precision, point.unit));
    return;
  }
  const Use use{name, "peak", point.flops / point.time_s.value, peak->value};
  const double tolerance =
      peak->status == machine::FigureStatus::measured ? above_measured : above_theory;
  if (use.rate > peak->value * tolerance) {
    std::string finding = fmt::format("{} is above the {} of {}, {}", rate_text(use.rate, true),
                                      name, profile.name, rate_text(peak->value, true));
    const Figure* tensor = profile.find("peak", fmt::format("{}_tensor_flops_per_s", precision));
    if (point.unit == "vector" && tensor && use.rate <= tensor->value * tolerance)
      finding += "; its tensor units could do it";
    placement.findings.push_back(std::move(finding));
  }
  placement.uses.push_back(use);
}

void place_bytes(const Point& point, const MachineProfile& profile, const std::string& level,
                 double bytes, Placement& placement) {
  std::string kind;
  const Figure* figure = bandwidth_figure(profile, level, point.traffic, kind);
  if (!figure) {
    placement.notes.push_back(
        fmt::format("profile {} states no bandwidth of {}", profile.name, level));
    return;
  }
  const Use use{level + " " + kind, level, bytes / point.time_s.value, figure->value};
  bool theory = false;
  const double limit = limit_of_level(profile, level, theory);
  if (use.rate > limit) {
    placement.findings.push_back(fmt::format(
        "{} is above {} of {}'s {}, {}", rate_text(use.rate, false),
        theory ? "the theoretical bandwidth" : "every bandwidth that was measured", profile.name,
        level, rate_text(limit / (theory ? above_theory : above_measured), false)));
  }
  placement.uses.push_back(use);
}

}  // namespace

double last_level_cache_bytes(const MachineProfile& profile) {
  if (profile.kind == MachineKind::gpu) return value_or_0(profile, "l2", "size_bytes");
  const double one = value_or_0(profile, "l3", "size_bytes");
  const double instances = value_or_0(profile, "l3", "instance_count");
  return one * std::max({1.0, instances, value_or_0(profile, "processor", "package_count")});
}

Placement place(const Point& point, const MachineProfile& profile) {
  Placement placement;
  for (const auto& [stated, bytes] : point.bytes) {
    std::string level = stated;
    if (level == by_working_set) {
      level = point.working_set_bytes > 0 ? level_of(point, profile) : "dram";
      if (point.working_set_bytes <= 0)
        placement.notes.emplace_back("the log does not state the working set: dram is taken");
    } else if (level == "dram" && point.working_set_bytes > 0) {
      const double cache = last_level_cache_bytes(profile);
      if (point.working_set_bytes <= cache) {
        placement.findings.push_back(
            fmt::format("its working set of {} fits the {} of cache of {}: this is no traffic of "
                        "dram",
                        readable("x_bytes", point.working_set_bytes).text(),
                        readable("x_bytes", cache).text(), profile.name));
      }
    }
    placement.bytes[level] += bytes;
    if (bytes > 0) place_bytes(point, profile, level, bytes, placement);
  }
  if (point.flops > 0) place_flops(point, profile, placement);
  std::stable_sort(placement.uses.begin(), placement.uses.end(),
                   [](const Use& a, const Use& b) { return a.share() > b.share(); });
  return placement;
}

}  // namespace hpclab::roofline::import
