// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "machine/profile.hpp"
#include "roofline/ceilings/gpu_precision.hpp"
#include "roofline/ceilings/gpu_streams.hpp"
#include "roofline/ceilings/host_profile.hpp"
#include "roofline/ceilings/model.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

using machine::Figure;
using machine::MachineProfile;

// Published rates of a GPU hold at its boost clock, measured ones at the clock they were measured
// at.
double clock_scale(const Parameters& p, const MachineProfile& profile, const Figure& figure) {
  if (figure.status == machine::FigureStatus::measured) return 1;
  const Figure* boost = profile.find("clock", "boost_hz");
  const Figure* measured = profile.find("clock", "measured_hz");
  return p.clock == ModelClock::measured && boost && measured ? measured->value / boost->value : 1;
}

const Figure& stated(const MachineProfile& profile, const std::string& group,
                     const std::string& figure) {
  if (const Figure* found = profile.find(group, figure)) return *found;
  throw CaseSkipped(fmt::format("profile {} states no {}.{}", profile.name, group, figure));
}

Result bandwidth(const Parameters& p, const MachineProfile& profile) {
  gpu_stream_kind(p.kind);
  const std::string level = name_of(p.level);
  if (p.level == MemoryLevel::l3)
    throw CaseSkipped("a GPU has no level l3; levels: shared, l1, l2, dram");
  if (p.level == MemoryLevel::shared && p.kind != "read")
    throw CaseSkipped("shared memory is measured by reads; give kind=read");
  // The theoretical rate, else the one measured for this kind of traffic.
  std::string name = "theoretical_bytes_per_s";
  if (!profile.find(level, name)) {
    if (const auto of_kind = figure_of_kind(p.kind); of_kind && profile.find(level, *of_kind))
      name = *of_kind;
  }
  const Figure& figure = stated(profile, level, name);
  double scale = 1;
  if (p.level != MemoryLevel::dram) scale = clock_scale(p, profile, figure);  // it has its own
  if (p.level == MemoryLevel::shared) scale /= static_cast<double>(p.conflict);
  const auto interval = profile.interval95(level, name);
  Result result;
  result.set_value("bandwidth_bytes_per_s", scale * figure.value, scale * interval[0],
                   scale * interval[1]);
  result.set_text("bound", p.level == MemoryLevel::shared && p.conflict > 1
                               ? fmt::format("{}-way bank conflict", p.conflict)
                               : level);
  return result;
}

Result flops(const Parameters& p, const MachineProfile& profile) {
  const bool tensor = p.unit == MultiplyUnit::tensor;
  if (!tensor) gpu_vector_precision(p.precision);
  if (tensor && p.precision == PeakPrecision::fp32)
    throw CaseSkipped("tensor units multiply no fp32; give precision=tf32");
  const std::string figure_name =
      fmt::format("{}_{}_{}", name(p.precision), tensor ? "tensor" : "vector",
                  p.precision == PeakPrecision::int8 ? "ops_per_s" : "flops_per_s");
  const Figure& figure = stated(profile, "peak", figure_name);
  const double scale = clock_scale(p, profile, figure);
  const auto interval = profile.interval95("peak", figure_name);
  Result result;
  result.set_value("flops_per_s", scale * figure.value, scale * interval[0], scale * interval[1]);
  result.set_text("bound", tensor ? "tensor units" : "multiply-add units");
  return result;
}

Result link(const Parameters& p, const MachineProfile& profile) {
  const double each_way = stated(profile, "link", "pcie_each_way_bytes_per_s").value;
  Result result;
  result.set_value("bandwidth_bytes_per_s",
                   p.direction == LinkDirection::both ? 2 * each_way : each_way);
  result.set_text("bound", "link");
  return result;
}

}  // namespace

Result gpu_model(const Parameters& p, const MachineProfile& profile) {
  Result result;
  switch (p.quantity) {
    case Quantity::bandwidth:
      return bandwidth(p, profile);
    case Quantity::flops:
      return flops(p, profile);
    case Quantity::latency: {
      const Figure& figure = stated(profile, name_of(p.level), "latency_s");
      const auto interval = profile.interval95(name_of(p.level), "latency_s");
      result.set_value("latency_s", figure.value, interval[0], interval[1]);
      result.set_text("bound", name_of(p.level));
      return result;
    }
    case Quantity::launch: {
      const char* name = p.launch_by == LaunchBy::graph ? "graph_kernel_s" : "kernel_s";
      const Figure& figure = stated(profile, "launch", name);
      const auto interval = profile.interval95("launch", name);
      result.set_value("launch_s", figure.value, interval[0], interval[1]);
      result.set_text("bound", "launch");
      return result;
    }
    case Quantity::link:
      return link(p, profile);
    case Quantity::clock:
      result.set_value("clock_hz", stated(profile, "clock", "boost_hz").value);
      return result;
    case Quantity::levels:
    case Quantity::concurrency:
      break;
  }
  throw CaseSkipped("this quantity is only measured");
}

}  // namespace hpclab::roofline::ceilings
