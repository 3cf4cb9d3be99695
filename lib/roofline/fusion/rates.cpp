// hpclab: SPDX-License-Identifier: Apache-2.0
//
// From a machine profile to the rates that bind a chain.
#include "core/error.hpp"
#include "roofline/fusion/model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace hpclab::roofline::fusion {
namespace {

using machine::Figure;
using machine::MachineProfile;

Range scaled(const Figure& figure, double factor) {
  const auto interval = figure.interval95.value_or(std::array{figure.value, figure.value});
  return {figure.value * factor, interval[0] * factor, interval[1] * factor};
}

double cores_of(const MachineProfile& profile) {
  return profile.require("processor", "core_count");
}

// The figure of one core times the threads, or the machine's by its cores: for what every core has
// of its own.
Range of_cores(const MachineProfile& profile, const std::string& group, const std::string& name,
               double threads) {
  const double cores = cores_of(profile);
  if (threads < cores) {
    if (const Figure* core = profile.find(group, "core_" + name)) return scaled(*core, threads);
  }
  return scaled(profile.figure(group, name), threads / cores);
}

// DRAM is shared: no thread gets more than a core can move, and all together no more than there is.
Range of_dram(const MachineProfile& profile, const std::string& name, double threads) {
  const Figure* core = profile.find("dram", "core_" + name);
  if (threads == 1 && core) return scaled(*core, 1);
  const Range all = scaled(profile.figure("dram", name), 1);
  if (!core || threads >= cores_of(profile)) return all;
  const Range each = scaled(*core, threads);
  return each.value < all.value ? each : all;
}

struct LevelRate {
  std::string level;
  Range bytes_per_s;
  double read_for_ownership = 0;
};

LevelRate cpu_level(const Parameters& p, const MachineProfile& profile, const std::string& level) {
  const auto threads = static_cast<double>(p.threads);
  if (level != "dram") return {level, of_cores(profile, level, "copy_bytes_per_s", threads), 0};
  const bool around = p.stores == Stores::nontemporal;
  const Range copy =
      of_dram(profile, around ? "nontemporal_copy_bytes_per_s" : "copy_bytes_per_s", threads);
  if (around) return {level, copy, 0};
  // The figure counts what the program moves: two of the three lines that a plain copy moves.
  return {level, {1.5 * copy.value, 1.5 * copy.low, 1.5 * copy.high}, 1};
}

// Between 1/sqrt 2 and sqrt 2 of a cache's size a share of the arrays stays in it: the logarithm of
// the rate is interpolated, and the interval spans both levels.
LevelRate between(const LevelRate& inner, const LevelRate& outer, double footprint,
                  double capacity) {
  const double share = std::clamp(std::log2(footprint / capacity) + 0.5, 0.0, 1.0);
  if (share == 0) return inner;
  if (share == 1) return outer;
  // Compared by what the program moves in a copy.
  const auto of_program = [](const LevelRate& rate, double r) {
    return r * 2 / (2 + rate.read_for_ownership);
  };
  const double a = of_program(inner, inner.bytes_per_s.value);
  const double b = of_program(outer, outer.bytes_per_s.value);
  return {inner.level + " and " + outer.level,
          {a * std::pow(b / a, share), of_program(outer, outer.bytes_per_s.low),
           of_program(inner, inner.bytes_per_s.high)},
          0};
}

LevelRate cpu_rate(const Parameters& p, const MachineProfile& profile, double footprint) {
  const auto threads = static_cast<double>(p.threads);
  LevelRate outer = cpu_level(p, profile, "dram");
  // Stores around the caches leave nothing in them.
  if (p.stores == Stores::nontemporal) return outer;
  for (const char* level : {"l3", "l2", "l1"}) {
    const Figure* size = profile.find(level, "size_bytes");
    if (!size) continue;
    // L1 and L2 belong to cores; of L3 there may be several.
    const Figure* instances = profile.find(level, "instance_count");
    const double capacity = std::string_view(level) != "l3" ? size->value * threads
                            : instances                     ? size->value * instances->value
                                                            : size->value;
    if (footprint >= capacity * std::sqrt(2.0)) break;
    outer = between(cpu_level(p, profile, level), outer, footprint, capacity);
  }
  return outer;
}

Rates cpu_rates(const Parameters& p, const MachineProfile& profile, double footprint) {
  const LevelRate memory = cpu_rate(p, profile, footprint);
  Rates rates;
  rates.level = memory.level;
  rates.bytes_per_s = memory.bytes_per_s;
  rates.read_for_ownership = memory.read_for_ownership;
  rates.flops_per_s =
      of_cores(profile, "peak", fmt::format("{}_{}_flops_per_s", name_of(p.precision), p.isa),
               static_cast<double>(p.threads));
  // A single thread goes from pass to pass by itself.
  if (p.threads == 1) return rates;
  if (const Figure* launch = profile.find("launch", "kernel_s")) {
    rates.launch_s = launch->value;
  } else {
    rates.launch_note = fmt::format(
        "profile {} states no launch.kernel_s: starts of the threads cost nothing in this model",
        profile.name);
  }
  return rates;
}

Rates gpu_rates(const Parameters& p, const MachineProfile& profile, double footprint) {
  const auto copy_of = [&](const std::string& level) -> std::optional<LevelRate> {
    for (const char* name : {"copy_bytes_per_s", "scale_bytes_per_s", "triad_bytes_per_s",
                             "read_bytes_per_s", "theoretical_bytes_per_s"}) {
      if (const Figure* figure = profile.find(level, name))
        return LevelRate{level, scaled(*figure, 1), 0};
    }
    return std::nullopt;
  };
  std::optional<LevelRate> memory = copy_of("dram");
  if (!memory) {
    throw CaseFailed(
        fmt::format("profile {} states no bandwidth of DRAM (dram.copy_bytes_per_s, "
                    "dram.theoretical_bytes_per_s)",
                    profile.name));
  }
  const Figure* l2_size = profile.find("l2", "size_bytes");
  if (const auto l2 = copy_of("l2"); l2 && l2_size) {
    // A cache of two partitions may hold lines twice.
    memory = between(*l2, *memory, footprint, 0.7 * l2_size->value);
  }
  Rates rates;
  rates.level = memory->level;
  rates.bytes_per_s = memory->bytes_per_s;
  rates.flops_per_s =
      scaled(profile.figure("peak", fmt::format("{}_vector_flops_per_s", name_of(p.precision))), 1);
  const char* name = p.launch_by == LaunchBy::graph ? "graph_kernel_s" : "kernel_s";
  if (const Figure* launch = profile.find("launch", name)) {
    rates.launch_s = launch->value;
  } else {
    rates.launch_note = fmt::format(
        "profile {} states no launch.{}: launches cost nothing in this model", profile.name, name);
  }
  return rates;
}

}  // namespace

Rates rates_of(const Parameters& p, const MachineProfile& profile, int arrays) {
  const double footprint = word_bytes(p.precision) * static_cast<double>(p.elements) * arrays;
  return profile.kind == machine::MachineKind::gpu ? gpu_rates(p, profile, footprint)
                                                   : cpu_rates(p, profile, footprint);
}

double program_bytes(const Parameters& p, const ArrayTraffic& traffic) {
  return word_bytes(p.precision) * static_cast<double>(p.elements) *
         (traffic.read + traffic.written);
}

double counted_bytes(const Parameters& p, const Rates& rates, const ArrayTraffic& traffic) {
  return program_bytes(p, {traffic.read, traffic.written * (1 + rates.read_for_ownership)});
}

}  // namespace hpclab::roofline::fusion
