// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/residency/parameters.hpp"

#include "machine/cpu_features.hpp"
#include "roofline/ceilings/host_levels.hpp"

namespace hpclab::roofline::residency {
namespace {

ParameterTable<Parameters> make_table() {
  using P = Parameters;
  ParameterTable<P> table;
  table.add_choice(
      &P::stencil, "stencil",
      {{"five-point", Stencil::five_point}, {"seven-point", Stencil::seven_point}},
      "five points on a square or seven on a cube; reads one array and writes another");
  table
      .add(&P::points, "points",
           "points of an array at most; the grid is the largest square or cube of so many")
      .between(27, 1e12);
  table.add(&P::steps, "steps", "steps of the whole run, and of a sample").between(1, 1e6);
  table.add_choice(&P::residency, "residency",
                   {{"resident", Residency::resident}, {"moved", Residency::moved}},
                   "arrays stay on the device from step to step, or move at each");
  table
      .add_choice(&P::ways, "ways", {{"in", Ways::in}, {"out", Ways::out}, {"both", Ways::both}},
                  "which ways arrays move at each step: to the device, back, or both")
      .when("residency", {"moved"});
  table
      .add(&P::moved_arrays, "moved_arrays",
           "arrays that move each way at a step: the one that the step needs, or both")
      .between(1, 2)
      .when("residency", {"moved"});
  table
      .add_choice(
          &P::host_memory, "host_memory",
          {{"pinned", HostMemory::pinned},
           {"pageable", HostMemory::pageable},
           {"managed", HostMemory::managed}},
          "memory of the host: page-locked, which the device copies itself; ordinary, which "
          "is copied once more on its way; or managed (GPU only), whose pages migrate")
      .when("residency", {"moved"});
  table
      .add(&P::chunks, "chunks",
           "parts of an array that move on streams of their own while others are worked on; 1: "
           "nothing overlaps")
      .between(1, 1024)
      .when("residency", {"moved"})
      .on({Backend::cuda, Backend::emulator});
  table.add_choice(&P::precision, "precision",
                   {{"fp64", Precision::fp64}, {"fp32", Precision::fp32}}, "type of the points");
  table.add(&P::isa, "isa", "instruction set of the stencil and of the copies")
      .one_of({"widest", "avx2", "avx512"})
      .on({Backend::cpu})
      .resolved_by([](const Json& value) -> Json {
        return value == "widest" ? Json(machine::widest_instruction_set()) : value;
      });
  table
      .add(&P::threads, "threads",
           "threads of each of the two processes, one a core; 0 means every core that the process "
           "may use")
      .between(0, 4096)
      .on({Backend::cpu})
      .resolved_by([](const Json& value) -> Json {
        return value != 0 ? value : Json(ceilings::host_topology().cores);
      });
  table
      .add(&P::memory_bandwidth, "memory_bandwidth",
           "bandwidth of the device's memory, instead of the profile's; 0: the profile's")
      .in_unit("bytes/s")
      .between(0, 1e15)
      .affects({Method::model});
  table
      .add(&P::link_bandwidth, "link_bandwidth",
           "bandwidth of the way between host and device, each way, instead of the profile's; 0: "
           "the profile's")
      .in_unit("bytes/s")
      .between(0, 1e15)
      .affects({Method::model});
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

const char* name_of(Precision precision) {
  return precision == Precision::fp64 ? "fp64" : "fp32";
}

StepTraffic traffic_of(const Parameters& p) {
  StepTraffic traffic;
  traffic.array_bytes = static_cast<double>(grid_of(p.stencil, p.points).points()) *
                        (p.precision == Precision::fp64 ? 8 : 4);
  if (p.residency == Residency::resident) return traffic;
  const double moved = traffic.array_bytes * static_cast<double>(p.moved_arrays);
  if (p.ways != Ways::out) traffic.in_bytes = moved;
  if (p.ways != Ways::in) traffic.out_bytes = moved;
  return traffic;
}

}  // namespace hpclab::roofline::residency
