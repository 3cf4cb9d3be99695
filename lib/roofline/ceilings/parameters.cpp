// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/parameters.hpp"

#include "core/error.hpp"
#include "machine/cpu_features.hpp"

#include <cmath>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

ParameterTable<Parameters> make_table() {
  using P = Parameters;
  const std::vector<Method> measured{Method::measure};
  const std::vector<Backend> gpu{Backend::cuda, Backend::emulator};
  ParameterTable<P> table;
  table
      .add_choice(&P::quantity, "quantity",
                  {{"bandwidth", Quantity::bandwidth},
                   {"latency", Quantity::latency},
                   {"flops", Quantity::flops},
                   {"clock", Quantity::clock},
                   {"levels", Quantity::levels},
                   {"concurrency", Quantity::concurrency},
                   {"launch", Quantity::launch},
                   {"link", Quantity::link}},
                  "what is measured; follows from the other parameters when not given")
      .as_inferred();
  table
      .add_choice(&P::level, "level",
                  {{"l1", MemoryLevel::l1},
                   {"l2", MemoryLevel::l2},
                   {"l3", MemoryLevel::l3},
                   {"dram", MemoryLevel::dram},
                   {"shared", MemoryLevel::shared}},
                  "memory level; on a processor its size is found by a sweep of working sets; "
                  "shared is the shared memory of a GPU")
      .when("quantity", {"bandwidth", "latency", "concurrency"});
  table
      .add(&P::kind, "kind",
           "what the kernel does with its arrays; mix interleaves lines read and lines written")
      .one_of({"read", "write", "write-nontemporal", "copy", "copy-nontemporal", "triad",
               "triad-nontemporal", "update", "mix"})
      .when("quantity", {"bandwidth"})
      .as_inferred();
  table.add(&P::read_fraction, "read_fraction", "share of lines that a mix reads, in eighths")
      .between(0.125, 0.875)
      .in_steps_of(0.125)
      .when("kind", {"mix"});
  table.add(&P::isa, "isa", "instruction set of the kernel")
      .one_of({"widest", "scalar", "avx2", "avx512"})
      .when("quantity", {"bandwidth", "flops"})
      .on({Backend::cpu})
      .resolved_by([](const Json& value) -> Json {
        return value == "widest" ? Json(machine::widest_instruction_set()) : value;
      });
  table
      .add_choice(&P::precision, "precision",
                  {{"fp64", PeakPrecision::fp64},
                   {"fp32", PeakPrecision::fp32},
                   {"fp16", PeakPrecision::fp16},
                   {"bf16", PeakPrecision::bf16},
                   {"int8", PeakPrecision::int8},
                   {"tf32", PeakPrecision::tf32},
                   {"fp8", PeakPrecision::fp8}},
                  "type of the multiply-adds; on a processor bf16 and int8 are dot-product "
                  "instructions; tf32, fp8 and int8 of a GPU need unit=tensor")
      .when("quantity", {"flops"});
  table
      .add_choice(&P::unit, "unit",
                  {{"vector", MultiplyUnit::vector}, {"tensor", MultiplyUnit::tensor}},
                  "units of a GPU: of single numbers, or of matrices (by cuBLASLt)")
      .when("quantity", {"flops"})
      .on(gpu);
  table
      .add(&P::conflict, "conflict",
           "lanes of a warp whose words lie in the same bank: 1 (none), 2, 4, 8, 16 or 32")
      .between(1, 32)
      .when("level", {"shared"});
  table
      .add_choice(
          &P::launch_by, "launch_by", {{"stream", LaunchBy::stream}, {"graph", LaunchBy::graph}},
          "how empty kernels are started: one call each, or one call for a graph of them (a "
          "processor starts a team of threads)")
      .when("quantity", {"launch"});
  table
      .add_choice(&P::direction, "direction",
                  {{"host-to-device", LinkDirection::host_to_device},
                   {"device-to-host", LinkDirection::device_to_host},
                   {"both", LinkDirection::both}},
                  "way of the copies between host and GPU; both counts the bytes of both")
      .when("quantity", {"link"});
  table
      .add_choice(&P::host_memory, "host_memory",
                  {{"pinned", HostMemory::pinned}, {"pageable", HostMemory::pageable}},
                  "memory of the host: page-locked, which the GPU copies itself, or ordinary")
      .when("quantity", {"link"});
  table
      .add(&P::threads, "threads",
           "threads, one a core; 0 means every core that the process may use")
      .between(0, 4096)
      .when("quantity", {"bandwidth", "latency", "flops", "concurrency", "launch"})
      .on({Backend::cpu})
      .resolved_by([](const Json& value) -> Json {
        if (value != 0) return value;
        static const int cores = machine::discover_topology().cores;
        return cores;
      });
  table
      .add(&P::chains, "chains",
           "independent pointer chases a thread: cache lines in flight; on a GPU 1, 2, 4 or 8")
      .between(1, max_chains)
      .when("quantity", {"latency"});
  table
      .add_choice(&P::order, "order",
                  {{"random", ChaseOrder::random}, {"page-local", ChaseOrder::page_local}},
                  "order of a chase: over the whole working set, or all lines of a page before the "
                  "next (few TLB "
                  "misses)")
      .when("quantity", {"latency", "concurrency"})
      .affects(measured)
      .on({Backend::cpu});
  table
      .add(&P::working_set, "working_set",
           "bytes a thread (on a GPU the whole device) works on; 0 means as much as fits the level")
      .in_unit("bytes")
      .between(0, 1e13)
      .when("quantity", {"bandwidth", "latency"})
      .affects(measured);
  table
      .add_choice(
          &P::memory, "memory",
          {{"near", machine::MemoryPlacement::near}, {"far", machine::MemoryPlacement::far}},
          "NUMA node of the memory; far is skipped where there is one node")
      .when("quantity", {"bandwidth", "latency", "concurrency"})
      .affects(measured)
      .on({Backend::cpu});
  table
      .add_choice(&P::huge_pages, "huge_pages",
                  {{"advise", machine::HugePages::advise},
                   {"never", machine::HugePages::never},
                   {"system", machine::HugePages::system}},
                  "2 MiB pages: asked for, refused, or left to the system")
      .when("quantity", {"bandwidth", "latency", "concurrency"})
      .affects(measured)
      .on({Backend::cpu});
  table
      .add_choice(
          &P::clock, "clock",
          {{"measured", ModelClock::measured}, {"nominal", ModelClock::nominal}},
          "clock of the theoretical rates: as this processor runs now (for other machines: as "
          "their profile measured it, where it did), or as it is sold")
      .when("quantity", {"bandwidth", "flops"})
      .affects({Method::model});
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

std::string name_of(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::l1:
      return "l1";
    case MemoryLevel::l2:
      return "l2";
    case MemoryLevel::l3:
      return "l3";
    case MemoryLevel::dram:
      return "dram";
    case MemoryLevel::shared:
      return "shared";
  }
  return "?";
}

BandwidthKind bandwidth_kind(const Parameters& p) {
  if (p.kind != "mix") return bandwidth_kind_of(p.kind);
  const double eighths = p.read_fraction * 8;
  if (eighths != std::floor(eighths)) {
    throw CaseFailed(fmt::format("read_fraction {} is no multiple of 1/8", p.read_fraction));
  }
  const int reads = static_cast<int>(eighths);
  return bandwidth_kind_of(fmt::format("mix-{}r{}w", reads, 8 - reads));
}

InstructionSet instruction_set(const Parameters& p) {
  return instruction_set_of(p.isa);
}

}  // namespace hpclab::roofline::ceilings
