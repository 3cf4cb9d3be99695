// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab roofline ceilings`.
#pragma once

#include "core/instruction_set.hpp"
#include "core/parameter.hpp"
#include "machine/memory.hpp"
#include "machine/topology.hpp"
#include "roofline/ceilings/bandwidth.hpp"
#include "roofline/ceilings/chase.hpp"
#include "roofline/ceilings/peak.hpp"

#include <cstdint>
#include <string>

namespace hpclab::roofline::ceilings {

/// What is measured. `levels` finds the memory levels in a sweep of working sets; `concurrency`
/// fits Little's law to chases of 1 to 32 chains; `launch` is the time of an empty kernel (on a
/// processor: of a team of threads that does nothing), `link`
/// the way between host and GPU.
enum class Quantity { bandwidth, latency, flops, clock, levels, concurrency, launch, link };

/// The clock at which the model states theoretical rates.
enum class ModelClock { measured, nominal };

/// `shared` is the shared memory of a GPU's multiprocessors.
enum class MemoryLevel { l1, l2, l3, dram, shared };

/// Which units of a GPU multiply.
enum class MultiplyUnit { vector, tensor };

/// How kernels are started: one call each, or all of a graph by one call.
enum class LaunchBy { stream, graph };

enum class LinkDirection { host_to_device, device_to_host, both };

/// Page-locked memory, which the GPU copies itself, or ordinary memory, which the driver copies
/// twice.
enum class HostMemory { pinned, pageable };

struct Parameters {
  Quantity quantity = Quantity::bandwidth;
  MemoryLevel level = MemoryLevel::dram;
  std::string kind = "read";
  double read_fraction = 0.5;
  std::int64_t working_set = 0;  ///< bytes a thread; 0: chosen by the level
  std::string isa = "widest";
  PeakPrecision precision = PeakPrecision::fp64;
  MultiplyUnit unit = MultiplyUnit::vector;
  std::int64_t conflict = 1;  ///< lanes of a warp that meet in a bank of shared memory
  LaunchBy launch_by = LaunchBy::stream;
  LinkDirection direction = LinkDirection::host_to_device;
  HostMemory host_memory = HostMemory::pinned;
  std::int64_t threads = 0;  ///< 0: every core that the process may use
  std::int64_t chains = 1;
  ChaseOrder order = ChaseOrder::random;
  machine::MemoryPlacement memory = machine::MemoryPlacement::near;
  machine::HugePages huge_pages = machine::HugePages::advise;
  ModelClock clock = ModelClock::measured;
};

const ParameterTable<Parameters>& parameter_table();

std::string name_of(MemoryLevel level);

/// The kernel that `kind`, with `read_fraction` for a mix, names.
BandwidthKind bandwidth_kind(const Parameters& p);

/// The instruction set of a case; never "widest" after resolution.
InstructionSet instruction_set(const Parameters& p);

}  // namespace hpclab::roofline::ceilings
