// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab roofline ceilings`.
#pragma once

#include "core/parameter.hpp"
#include "machine/memory.hpp"
#include "machine/topology.hpp"
#include "roofline/ceilings/bandwidth.hpp"
#include "roofline/ceilings/chase.hpp"
#include "roofline/ceilings/instruction_set.hpp"
#include "roofline/ceilings/peak.hpp"

#include <cstdint>
#include <string>

namespace hpclab::roofline::ceilings {

/// What is measured. `levels` finds the memory levels in a sweep of working sets; `concurrency`
/// fits Little's law to chases of 1 to 32 chains.
enum class Quantity { bandwidth, latency, flops, clock, levels, concurrency };

/// The clock at which the model states theoretical rates.
enum class ModelClock { measured, nominal };

enum class MemoryLevel { l1, l2, l3, dram };

struct Parameters {
  Quantity quantity = Quantity::bandwidth;
  MemoryLevel level = MemoryLevel::dram;
  std::string kind = "read";
  double read_fraction = 0.5;
  std::int64_t working_set = 0;  ///< bytes a thread; 0: chosen by the level
  std::string isa = "widest";
  PeakPrecision precision = PeakPrecision::fp64;
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
