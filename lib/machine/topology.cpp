// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/topology.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <hwloc.h>

namespace hpclab::machine {
namespace {

struct Handle {
  hwloc_topology_t topology = nullptr;
  Handle() { hwloc_topology_init(&topology); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { hwloc_topology_destroy(topology); }
};

using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;
Bitmap empty_bitmap() {
  return Bitmap(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
}

/// Logical index of the ancestor of `type`, 0 where the machine does not show that type.
int ancestor_index(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t object) {
  const hwloc_obj_t ancestor = hwloc_get_ancestor_obj_by_type(topology, type, object);
  return ancestor ? static_cast<int>(ancestor->logical_index) : 0;
}

int nearest_node(hwloc_topology_t topology, hwloc_obj_t unit) {
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    if (hwloc_bitmap_isset(node->cpuset, unit->os_index)) return static_cast<int>(node->os_index);
  }
  return 0;
}

void read_units(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, Topology& result) {
  std::set<int> packages, cores;
  std::vector<int> threads_seen;  // by core
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr) {
    if (!hwloc_bitmap_isset(allowed, unit->os_index)) continue;
    ProcessingUnit pu;
    pu.os_index = static_cast<int>(unit->os_index);
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    pu.core = static_cast<int>(core ? core->logical_index : unit->logical_index);
    pu.package = ancestor_index(topology, HWLOC_OBJ_PACKAGE, unit);
    pu.numa_node = nearest_node(topology, unit);
    if (static_cast<int>(threads_seen.size()) <= pu.core) threads_seen.resize(pu.core + 1, 0);
    pu.thread_of_core = threads_seen[static_cast<std::size_t>(pu.core)]++;
    packages.insert(pu.package);
    cores.insert(pu.core);
    result.processing_units.push_back(pu);
  }
  result.packages = static_cast<int>(packages.size());
  result.cores = static_cast<int>(cores.size());
}

void read_caches(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, Topology& result) {
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                      HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
    DataCache cache;
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr) {
      const Bitmap users = empty_bitmap();
      hwloc_bitmap_and(users.get(), object->cpuset, allowed);
      const int count = hwloc_bitmap_weight(users.get());
      if (count <= 0) continue;
      cache.level = static_cast<int>(object->attr->cache.depth);
      cache.size_bytes = std::max<std::uint64_t>(cache.size_bytes, object->attr->cache.size);
      cache.line_bytes = static_cast<int>(object->attr->cache.linesize);
      cache.shared_by = std::max(cache.shared_by, count);
      ++cache.instances;
    }
    if (cache.instances > 0) result.caches.push_back(cache);
  }
}

void read_numa_nodes(hwloc_topology_t topology, Topology& result) {
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, object)) != nullptr) {
    NumaNode node;
    node.os_index = static_cast<int>(object->os_index);
    node.memory_bytes = object->attr->numanode.local_memory;
    for (const ProcessingUnit& pu : result.processing_units) {
      if (pu.numa_node == node.os_index) node.processing_units.push_back(pu.os_index);
    }
    result.numa_nodes.push_back(std::move(node));
  }
}

Topology read(hwloc_topology_t topology, bool respect_affinity) {
  const Bitmap allowed(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)),
                       &hwloc_bitmap_free);
  if (respect_affinity) {
    const Bitmap bound = empty_bitmap();
    if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_PROCESS) == 0) {
      hwloc_bitmap_and(allowed.get(), allowed.get(), bound.get());
    }
  }
  Topology result;
  result.machine_units = hwloc_bitmap_weight(hwloc_topology_get_complete_cpuset(topology));
  read_units(topology, allowed.get(), result);
  read_caches(topology, allowed.get(), result);
  read_numa_nodes(topology, result);
  return result;
}

}  // namespace

std::uint64_t Topology::cache_bytes(int level) const {
  for (const DataCache& cache : caches) {
    if (cache.level == level) return cache.size_bytes;
  }
  return 0;
}

std::uint64_t Topology::last_level_bytes() const {
  if (caches.empty()) return 0;
  return caches.back().size_bytes * static_cast<std::uint64_t>(caches.back().instances);
}

Topology discover_topology() {
  Handle handle;
  // PCI and other I/O discovery takes most of hwloc's time and nothing here needs it.
  for (const char* component : {"pci", "opencl", "cuda", "nvml", "rsmi", "levelzero", "gl"}) {
    hwloc_topology_set_components(handle.topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                  component);
  }
  hwloc_topology_set_io_types_filter(handle.topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_icache_types_filter(handle.topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc_topology_load(handle.topology) != 0) {
    throw NotAvailable("hwloc cannot read the machine's topology", "Is /sys mounted?");
  }
  return read(handle.topology, true);
}

Topology synthetic_topology(const std::string& description) {
  Handle handle;
  if (hwloc_topology_set_synthetic(handle.topology, description.c_str()) != 0 ||
      hwloc_topology_load(handle.topology) != 0) {
    throw UsageError(fmt::format(
        "\"{}\" is not a synthetic topology of hwloc; an example is \"package:2 l3:1 core:4 pu:2\"",
        description));
  }
  return read(handle.topology, false);
}

std::vector<int> pin_order(const Topology& topology, int threads, Placement placement) {
  const int available = static_cast<int>(topology.processing_units.size());
  if (threads < 1 || threads > available) {
    throw UsageError(
        fmt::format("{} threads asked for, between 1 and {} can be pinned here "
                    "(processing units that affinity and container allow)",
                    threads, available));
  }
  struct Seat {
    ProcessingUnit unit;
    int rank = 0;  // position among the first threads of cores of its package and node
  };
  std::vector<Seat> seats;
  std::vector<std::tuple<int, int, int>> seen;  // (package, node, thread_of_core) of earlier units
  for (const ProcessingUnit& unit : topology.processing_units) {
    const auto key = std::tuple(unit.package, unit.numa_node, unit.thread_of_core);
    seats.push_back({unit, static_cast<int>(std::count(seen.begin(), seen.end(), key))});
    seen.push_back(key);
  }
  std::stable_sort(seats.begin(), seats.end(), [&](const Seat& a, const Seat& b) {
    const int round_a = placement == Placement::spread ? a.rank : 0;
    const int round_b = placement == Placement::spread ? b.rank : 0;
    return std::tuple(a.unit.thread_of_core, round_a) < std::tuple(b.unit.thread_of_core, round_b);
  });
  std::vector<int> order;
  for (int i = 0; i < threads; ++i)
    order.push_back(seats[static_cast<std::size_t>(i)].unit.os_index);
  return order;
}

std::optional<int> memory_node(const Topology& topology, int processing_unit,
                               MemoryPlacement placement) {
  for (const ProcessingUnit& unit : topology.processing_units) {
    if (unit.os_index != processing_unit) continue;
    if (placement == MemoryPlacement::near) return unit.numa_node;
    const std::size_t count = topology.numa_nodes.size();
    if (count < 2) return std::nullopt;
    // Node numbers follow the packages, so half of the ring away is another package where there are
    // two: two-socket machines with sub-NUMA clustering must cross the socket link.
    std::size_t position = 0;
    while (position < count && topology.numa_nodes[position].os_index != unit.numa_node) ++position;
    return topology.numa_nodes[(position + count / 2) % count].os_index;
  }
  throw UsageError(
      fmt::format("processing unit {} is not among those this process may use", processing_unit));
}

}  // namespace hpclab::machine
