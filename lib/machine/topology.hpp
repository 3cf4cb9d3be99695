// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What the machine looks like to this process: packages, cores, processing units, caches and NUMA
// nodes, restricted to what the affinity mask and the container allow; and where to pin threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hpclab::machine {

/// One hardware thread that this process may run on.
struct ProcessingUnit {
  int os_index = 0;        ///< number that Linux gives it (taskset, /proc/stat)
  int core = 0;            ///< counts the physical cores of the machine from 0
  int package = 0;         ///< counts the sockets from 0
  int numa_node = 0;       ///< operating system's number of the nearest memory node
  int thread_of_core = 0;  ///< 0 for the first hardware thread of its core, 1 for the second
};

struct DataCache {
  int level = 1;
  std::uint64_t size_bytes = 0;  ///< of one cache
  int line_bytes = 0;
  int instances = 0;  ///< how many such caches the allowed processing units use
  int shared_by = 0;  ///< processing units on one of them (the largest count)
};

struct NumaNode {
  int os_index = 0;
  std::uint64_t memory_bytes = 0;
  std::vector<int> processing_units;  ///< allowed ones, by os_index; empty for memory-only nodes
};

struct Topology {
  std::vector<ProcessingUnit> processing_units;  ///< allowed ones in topological order
  std::vector<DataCache> caches;                 ///< data and unified caches by level
  std::vector<NumaNode> numa_nodes;
  int packages = 0;
  int cores = 0;          ///< physical cores with an allowed processing unit
  int machine_units = 0;  ///< processing units of the whole machine, allowed or not

  /// Size of one cache of `level`; 0 when the level does not exist or is not shown.
  std::uint64_t cache_bytes(int level) const;
  /// Sum over all last-level caches in use: arrays of at least 4 times this come from DRAM.
  std::uint64_t last_level_bytes() const;
};

/// Looks at this machine with hwloc (no PCI or I/O discovery, some milliseconds).
/// Throws NotAvailable when hwloc cannot read it.
Topology discover_topology();

/// A machine described in hwloc's synthetic notation, e.g. "package:2 l3:1 core:4 pu:2": for tests
/// and for planning a run elsewhere. Every unit is allowed.
Topology synthetic_topology(const std::string& description);

enum class Placement {
  compact,  ///< fill a last-level cache and a package before using the next
  spread    ///< go round the packages and NUMA nodes, so that all memory controllers work
};

/// Processing units (os_index) for members 0..threads-1. Each physical core gets one thread before
/// any core gets two. Throws UsageError when `threads` is below 1 or above the allowed units.
std::vector<int> pin_order(const Topology& topology, int threads, Placement placement);

enum class MemoryPlacement {
  near,  ///< on the NUMA node of the processing unit
  far    ///< on the node farthest by number of nodes away, so that every access crosses a link
};

/// NUMA node (os_index) whose memory is near or far for a processing unit; nullopt for `far` where
/// there is one node only. Throws UsageError for a unit that is not allowed.
std::optional<int> memory_node(const Topology& topology, int processing_unit,
                               MemoryPlacement placement);

}  // namespace hpclab::machine
