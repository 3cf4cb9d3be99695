// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/residency/model.hpp"

#include "core/error.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace hpclab::roofline::residency {
namespace {

using machine::Figure;
using machine::MachineProfile;

Range scaled(const Figure& figure, double factor) {
  const auto interval = figure.interval95.value_or(std::array{figure.value, figure.value});
  return {figure.value * factor, interval[0] * factor, interval[1] * factor};
}

Range exactly(double value) {
  return {value, value, value};
}

Range seconds(double bytes, const Range& rate) {
  return {bytes / rate.value, bytes / rate.high, bytes / rate.low};
}

Range sum(const Range& a, const Range& b) {
  return {a.value + b.value, a.low + b.low, a.high + b.high};
}

const Figure& first_stated(const MachineProfile& profile, const std::string& group,
                           std::initializer_list<const char*> names, const char* instead) {
  for (const char* name : names) {
    if (const Figure* figure = profile.find(group, name)) return *figure;
  }
  throw CaseFailed(fmt::format("profile {} states no {}.{}; give {}", profile.name, group,
                               *names.begin(), instead));
}

// Arrays that a cache holds move faster than these figures say.
void require_beyond(const Parameters& p, const MachineProfile& profile, const char* level) {
  const Figure* size = profile.find(level, "size_bytes");
  const double both = 2 * traffic_of(p).array_bytes;
  if (!size || both >= 2 * size->value) return;
  throw CaseFailed(fmt::format(
      "two arrays of {} lie in the {} of {} for the most part; this model is of arrays in memory: "
      "at "
      "least {} points",
      readable_bytes(both / 2), level, profile.name,
      static_cast<std::int64_t>(size->value / (p.precision == Precision::fp64 ? 8 : 4)) + 1));
}

Rates gpu_rates(const Parameters& p, const MachineProfile& profile) {
  require_beyond(p, profile, "l2");
  Rates rates;
  rates.memory =
      p.memory_bandwidth > 0
          ? exactly(p.memory_bandwidth)
          : scaled(first_stated(profile, "dram",
                                {"copy_bytes_per_s", "scale_bytes_per_s", "triad_bytes_per_s",
                                 "read_bytes_per_s", "theoretical_bytes_per_s"},
                                "memory_bandwidth"),
                   1);
  if (p.link_bandwidth > 0) {
    rates.in = rates.out = exactly(p.link_bandwidth);
  } else if (p.host_memory == HostMemory::pageable) {
    rates.in = scaled(
        first_stated(profile, "link", {"pageable_host_to_device_bytes_per_s"}, "link_bandwidth"),
        1);
    rates.out = scaled(
        first_stated(profile, "link", {"pageable_device_to_host_bytes_per_s"}, "link_bandwidth"),
        1);
  } else {
    rates.in =
        scaled(first_stated(profile, "link",
                            {"pinned_host_to_device_bytes_per_s", "pcie_each_way_bytes_per_s"},
                            "link_bandwidth"),
               1);
    rates.out =
        scaled(first_stated(profile, "link",
                            {"pinned_device_to_host_bytes_per_s", "pcie_each_way_bytes_per_s"},
                            "link_bandwidth"),
               1);
  }
  rates.two_ways_at_once = true;
  if (const Figure* launch = profile.find("launch", "kernel_s")) rates.launch_s = launch->value;
  if (p.residency == Residency::moved && p.host_memory == HostMemory::managed)
    rates.note =
        "pages move at the link's rate at best; what their faults cost is not in the model";
  return rates;
}

// The figure of memory in small pages, as that between processes is; else the one in huge pages.
std::string in_small_pages(const MachineProfile& profile, const std::string& name, Rates& rates) {
  const std::string small = "small_page_" + name;
  if (profile.find("dram", small)) return small;
  rates.note = fmt::format(
      "profile {} states no dram.{}: memory between processes, in pages of 4 KiB, is slower than "
      "this "
      "says",
      profile.name, small);
  return name;
}

// Memory is shared: no thread gets more than a core can move, and all together no more than there
// is.
Range of_memory(const Parameters& p, const MachineProfile& profile, const std::string& name) {
  const auto threads = static_cast<double>(p.threads);
  const Figure* core = profile.find("dram", "core_" + name);
  if (p.threads == 1 && core) return scaled(*core, 1);
  const Range all = scaled(profile.figure("dram", name), 1);
  if (!core || threads >= profile.require("processor", "core_count")) return all;
  const Range each = scaled(*core, threads);
  return each.value < all.value ? each : all;
}

// Where the planes come from that a sweep reads a second and a third time: three of the array and
// one of the result must fit beside each other, for every thread. L1 costs nothing further.
std::optional<Range> rate_of_planes(const Parameters& p, const MachineProfile& profile,
                                    const Range& memory) {
  const double planes = 4 * static_cast<double>(grid_of(p.stencil, p.points).plane()) *
                        (p.precision == Precision::fp64 ? 8 : 4);
  const auto threads = static_cast<double>(p.threads);
  for (const char* level : {"l1", "l2", "l3"}) {
    const Figure* size = profile.find(level, "size_bytes");
    const bool shared = std::string_view(level) == "l3";
    if (!size || (shared ? threads * planes : planes) > size->value) continue;
    if (std::string_view(level) == "l1") return std::nullopt;
    const double cores = profile.require("processor", "core_count");
    for (const char* name : {"read_bytes_per_s", "copy_bytes_per_s"}) {
      if (const Figure* core = profile.find(level, fmt::format("core_{}", name)))
        return scaled(*core, threads);
      if (const Figure* all = profile.find(level, name)) return scaled(*all, threads / cores);
    }
    throw CaseFailed(fmt::format("profile {} states no {}.read_bytes_per_s", profile.name, level));
  }
  return memory;
}

Rates cpu_rates(const Parameters& p, const MachineProfile& profile) {
  if (p.chunks > 1) {
    throw CaseSkipped(fmt::format(
        "between processes of a processor nothing overlaps; profile {} is of one", profile.name));
  }
  if (p.residency == Residency::moved && p.host_memory == HostMemory::managed) {
    throw CaseSkipped(
        fmt::format("processes that share their memory move nothing; profile {} is of a processor",
                    profile.name));
  }
  require_beyond(p, profile, "l3");
  Rates rates;
  if (p.memory_bandwidth > 0) {
    rates.memory = exactly(p.memory_bandwidth);
  } else {
    rates.memory = of_memory(p, profile, in_small_pages(profile, "copy_bytes_per_s", rates));
    rates.planes = rate_of_planes(p, profile, rates.memory);
  }
  // A copy reads and writes each byte, and ordinary memory is copied to the segment and from there.
  const double copies = p.host_memory == HostMemory::pageable ? 2 : 1;
  const Range copy =
      p.link_bandwidth > 0
          ? exactly(2 * copies * p.link_bandwidth)
          : of_memory(p, profile, in_small_pages(profile, "nontemporal_copy_bytes_per_s", rates));
  const double each = 1 / (2 * copies);
  rates.in = rates.out = {copy.value * each, copy.low * each, copy.high * each};
  return rates;
}

std::string bound_of(const Parameters& p, const MachineProfile& profile,
                     const StepPrediction& step) {
  if (step.in_s.value + step.out_s.value <= step.kernel_s.value) return "device memory";
  if (profile.kind == machine::MachineKind::cpu) return "copies between processes";
  return p.host_memory == HostMemory::pageable ? "host copies" : "link";
}

}  // namespace

Rates rates_of(const Parameters& p, const MachineProfile& profile) {
  return profile.kind == machine::MachineKind::gpu ? gpu_rates(p, profile) : cpu_rates(p, profile);
}

StepPrediction predict_step(const Parameters& p, const Rates& rates) {
  const StepTraffic traffic = traffic_of(p);
  StepPrediction step;
  step.kernel_s = sum(seconds(2 * traffic.array_bytes, rates.memory), exactly(rates.launch_s));
  if (rates.planes)
    step.kernel_s = sum(step.kernel_s, seconds(2 * traffic.array_bytes, *rates.planes));
  step.in_s = seconds(traffic.in_bytes, rates.in);
  step.out_s = seconds(traffic.out_bytes, rates.out);
  const Range all = sum(step.kernel_s, sum(step.in_s, step.out_s));
  step.time_s = all;
  // Ordinary memory is copied by the thread that asks for it, and pages move when they are touched.
  if (p.chunks == 1 || !rates.two_ways_at_once || p.host_memory != HostMemory::pinned) return step;
  const auto overlapped = [&](double Range::*part) {
    const double longest = std::max({step.kernel_s.*part, step.in_s.*part, step.out_s.*part});
    return longest + (all.*part - longest) / static_cast<double>(p.chunks);
  };
  step.time_s = {overlapped(&Range::value), overlapped(&Range::low), overlapped(&Range::high)};
  return step;
}

Result model(const Parameters& p, Context& context) {
  const MachineProfile& profile = *context.machine_profile;
  const Rates rates = rates_of(p, profile);
  const StepPrediction step = predict_step(p, rates);
  const StepTraffic traffic = traffic_of(p);
  const double moved = traffic.in_bytes + traffic.out_bytes;
  Result result;
  result.set_value("time_s", step.time_s.value, step.time_s.low, step.time_s.high);
  result.set_value("slowdown_ratio", step.time_s.value / step.kernel_s.value);
  result.set_value("kernel_s", step.kernel_s.value, step.kernel_s.low, step.kernel_s.high);
  result.set_value("bandwidth_bytes_per_s", 2 * traffic.array_bytes / step.kernel_s.value);
  result.set_value("moved_bytes", moved);
  if (moved > 0) result.set_value("link_bytes_per_s", moved / (step.in_s.value + step.out_s.value));
  result.set_value("run_s", static_cast<double>(p.steps) * step.time_s.value);
  result.set_text("bound", bound_of(p, profile, step));
  if (!rates.note.empty()) result.add_note(rates.note);
  return result;
}

}  // namespace hpclab::roofline::residency
