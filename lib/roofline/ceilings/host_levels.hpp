// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The memory levels of this machine as a sweep of working sets shows them, and working sets that
// are safely within one of them.
#pragma once

#include "core/context.hpp"
#include "machine/topology.hpp"
#include "roofline/ceilings/levels.hpp"
#include "roofline/ceilings/parameters.hpp"

#include <string>
#include <vector>

namespace hpclab::roofline::ceilings {

/// Capacity of one cache level.
struct LevelCapacity {
  MemoryLevel level = MemoryLevel::l1;
  double stated_bytes = 0;  ///< by the system; 0 when it states none
  double found_bytes =
      0;  ///< by the sweep; 0 when it shows no step within a factor of 2 of the stated size
  double bytes() const { return found_bytes > 0 ? found_bytes : stated_bytes; }
};

struct HostLevels {
  std::vector<SweepPoint> sweep;  ///< working set and read bandwidth of one thread
  LevelMap map;
  std::vector<LevelCapacity> capacities;  ///< l1, l2, l3 as far as the machine has them
  const LevelCapacity* find(MemoryLevel level) const;
};

/// Sweeps once a process (about a second on one core) and keeps the answer.
const HostLevels& host_levels(const Context& context);

/// The topology, looked up once.
const machine::Topology& host_topology();

/// Bytes a thread should work on for `level` when `threads` work at once, and how that was chosen.
struct WorkingSet {
  std::size_t bytes = 0;
  std::string note;  ///< empty when the sweep showed the level as stated
};

/// l1: half of it. l2 and l3: the geometric mean of the level below and of a thread's share of the
/// level, far from both edges. dram: at least 4 x all last-level caches and 512 MiB over all
/// threads, for each of `arrays` arrays. Throws CaseSkipped when the machine has no such level.
WorkingSet working_set_for(MemoryLevel level, int threads, int arrays, const Context& context);

}  // namespace hpclab::roofline::ceilings
