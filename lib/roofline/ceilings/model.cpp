// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/model.hpp"

#include "core/error.hpp"
#include "machine/profile.hpp"
#include "machine/this_cpu.hpp"
#include "machine/thread_team.hpp"
#include "roofline/ceilings/clock.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/ceilings/host_profile.hpp"
#include "roofline/ceilings/littles_law.hpp"
#include "roofline/ceilings/theory.hpp"

#include <cmath>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

using machine::Figure;
using machine::MachineProfile;

double threads_of(const Parameters& p) {
  return static_cast<double>(p.threads);
}

// The figure of one core, or the machine's divided by its cores.
double of_one_core(const MachineProfile& profile, const std::string& group,
                   const std::string& name) {
  if (const Figure* core = profile.find(group, "core_" + name)) return core->value;
  return profile.require(group, name) / profile.require("processor", "core_count");
}

// Rates in a profile hold at its base clock; this scales them to the clock that is asked for.
double clock_scale(const Parameters& p, const MachineProfile& profile) {
  if (p.clock == ModelClock::nominal) return 1;
  const Figure* base = profile.find("clock", "base_hz");
  if (!base) return 1;
  if (profile.name == machine::this_cpu_name) {
    static const double clock_hz = [] {
      const machine::ThreadTeam pinned(host_topology(), 1);
      // To 10 MHz: the same prediction in every run, unless the clock really changes.
      return std::round(measure_clock_hz() / 1e7) * 1e7;
    }();
    return clock_hz / base->value;
  }
  const Figure* measured = profile.find("clock", "measured_hz");
  return measured ? measured->value / base->value : 1;
}

// What a profile that states figures says: its theoretical rate, else the one measured for this
// kind of traffic, with its interval. Caches belong to cores and scale with the threads; DRAM is
// shared by all.
Result of_profile(const Parameters& p, const MachineProfile& profile) {
  const std::string level = name_of(p.level);
  std::string name = "theoretical_bytes_per_s";
  if (!profile.find(level, name) && !profile.find(level, "core_" + name)) {
    if (const auto measured = figure_of_kind(p.kind)) name = *measured;
  }
  Result result;
  result.set_text("bound", level);
  if (p.threads == 1 && profile.find(level, "core_" + name)) name = "core_" + name;
  const Figure& figure = profile.figure(level, name);
  double scale = 1;
  if (p.level != MemoryLevel::dram && !name.starts_with("core_")) {
    scale = threads_of(p) / profile.require("processor", "core_count");
  }
  result.set_value("bandwidth_bytes_per_s", figure.value * scale);
  if (figure.interval95) {
    result.set_interval("bandwidth_bytes_per_s", (*figure.interval95)[0] * scale,
                        (*figure.interval95)[1] * scale);
  }
  return result;
}

Result bandwidth(const Parameters& p, const MachineProfile& profile) {
  // Work does not depend on the instruction set; scalar kernels exist everywhere.
  const BandwidthKernel& kernel = *find_bandwidth_kernel(bandwidth_kind(p), InstructionSet::scalar);
  const BandwidthWork work = kernel.work(kernel.granularity);
  const std::string level = name_of(p.level);
  double theory = 0;
  if (profile.name == machine::this_cpu_name && p.level != MemoryLevel::dram) {
    const auto lookup = machine::this_microarchitecture();
    const auto per_cycle =
        lookup.found ? bytes_per_cycle(*lookup.found, p.level, work) : std::nullopt;
    if (!per_cycle) {
      throw CaseSkipped(
          fmt::format("no documented {} rate of this processor for '{}'", level, p.kind));
    }
    theory =
        *per_cycle * profile.require("clock", "base_hz") * clock_scale(p, profile) * threads_of(p);
  } else if (profile.name == machine::this_cpu_name) {
    throw CaseSkipped(
        "the memory channels of this machine are not stated anywhere; give a profile by --machine");
  } else {
    return of_profile(p, profile);
  }
  Result result;
  result.set_value("bandwidth_bytes_per_s", theory);
  result.set_text("bound", level);
  return result;
}

Result flops(const Parameters& p, const MachineProfile& profile) {
  const bool integer = p.precision == PeakPrecision::int8;
  const std::string figure =
      fmt::format("{}_{}_{}", name(p.precision), p.isa, integer ? "ops_per_s" : "flops_per_s");
  Result result;
  result.set_value("flops_per_s",
                   of_one_core(profile, "peak", figure) * clock_scale(p, profile) * threads_of(p));
  result.set_text("bound", "multiply-add units");
  return result;
}

Result latency(const Parameters& p, const MachineProfile& profile) {
  const std::string level = name_of(p.level);
  // Little's law between the unloaded latency and the read bandwidth of that many threads, with the
  // corner of an ideal queue (the smaller of the two).
  const double unloaded = profile.require(level, "latency_s");
  const double lines = static_cast<double>(p.chains) * threads_of(p);
  const double ceiling = p.level == MemoryLevel::dram && p.threads > 1
                             ? profile.require(level, "read_bytes_per_s")
                             : of_one_core(profile, level, "read_bytes_per_s") * threads_of(p);
  const double bandwidth = std::min(64 * lines / unloaded, ceiling);
  Result result;
  result.set_value("latency_s", 64 * lines / bandwidth);
  result.set_value("bandwidth_bytes_per_s", bandwidth);
  result.set_text("bound", bandwidth < ceiling ? "lines in flight" : level);
  return result;
}

}  // namespace

Result model(const Parameters& p, Context& context) {
  const MachineProfile& profile = *context.machine_profile;
  if (profile.kind == machine::MachineKind::gpu) return gpu_model(p, profile);
  if (p.quantity == Quantity::launch || p.quantity == Quantity::link ||
      (p.quantity != Quantity::flops && p.level == MemoryLevel::shared) ||
      (p.quantity == Quantity::flops && p.unit == MultiplyUnit::tensor)) {
    throw CaseSkipped(
        fmt::format("profile {} is of a processor; this needs one of a GPU, such as "
                    "--machine h200",
                    profile.name));
  }
  Result result;
  switch (p.quantity) {
    case Quantity::bandwidth:
      return bandwidth(p, profile);
    case Quantity::flops:
      return flops(p, profile);
    case Quantity::latency:
      if (profile.name == machine::this_cpu_name) {
        throw CaseSkipped(
            "latencies are measured, not documented; give a saved profile by --machine");
      }
      return latency(p, profile);
    case Quantity::clock:
      result.set_value("clock_hz", profile.require("clock", "base_hz"));
      return result;
    case Quantity::levels:
    case Quantity::concurrency:
    case Quantity::launch:
    case Quantity::link:
      break;
  }
  throw CaseSkipped("this quantity is only measured");
}

}  // namespace hpclab::roofline::ceilings
