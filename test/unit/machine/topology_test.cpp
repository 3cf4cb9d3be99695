// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/topology.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <set>

#include <sched.h>

using namespace hpclab;
using namespace hpclab::machine;

namespace {

/// Two sockets with one NUMA node and one 16 MiB L3 each, four cores a socket, two threads a core.
/// hwloc numbers synthetic units in topological order: socket 0 is 0-7, core k is {2k, 2k+1}.
Topology two_sockets() {
  return synthetic_topology(
      "package:2 [numa(memory=1073741824)] l3:1(size=16777216) l2:4(size=1048576) core:1 pu:2");
}

}  // namespace

TEST_CASE("topology: are packages, cores, caches and nodes of a described machine counted?") {
  const Topology t = two_sockets();
  CHECK(t.packages == 2);
  CHECK(t.cores == 8);
  CHECK(t.processing_units.size() == 16);
  CHECK(t.machine_units == 16);
  CHECK(t.cache_bytes(2) == 1048576);
  CHECK(t.cache_bytes(3) == 16777216);
  CHECK(t.cache_bytes(4) == 0);
  CHECK(t.last_level_bytes() == 2 * 16777216);
  REQUIRE(t.numa_nodes.size() == 2);
  CHECK(t.numa_nodes[0].memory_bytes == 1073741824);
  CHECK(t.numa_nodes[1].processing_units == std::vector<int>{8, 9, 10, 11, 12, 13, 14, 15});
}

TEST_CASE("topology: does each core get one thread before any core gets two?") {
  const Topology t = two_sockets();
  CHECK(pin_order(t, 8, Placement::compact) == std::vector<int>{0, 2, 4, 6, 8, 10, 12, 14});
  CHECK(pin_order(t, 8, Placement::spread) == std::vector<int>{0, 8, 2, 10, 4, 12, 6, 14});
  for (const Placement placement : {Placement::compact, Placement::spread}) {
    const std::vector<int> all = pin_order(t, 16, placement);
    CHECK(std::set<int>(all.begin(), all.end()).size() == 16);
    CHECK(std::all_of(all.begin(), all.begin() + 8, [](int unit) { return unit % 2 == 0; }));
  }
}

TEST_CASE("topology: do two spread threads land on different sockets and two compact on one?") {
  const Topology t = two_sockets();
  CHECK(pin_order(t, 2, Placement::spread) == std::vector<int>{0, 8});
  CHECK(pin_order(t, 2, Placement::compact) == std::vector<int>{0, 2});
}

TEST_CASE("topology: are more threads than allowed units an error that states the limit?") {
  try {
    pin_order(two_sockets(), 17, Placement::spread);
    FAIL("no error");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what()).find("between 1 and 16") != std::string::npos);
  }
  CHECK_THROWS_AS(pin_order(two_sockets(), 0, Placement::compact), UsageError);
  CHECK_THROWS_AS(synthetic_topology("socket of wood"), UsageError);
}

TEST_CASE("topology: is far memory on the other socket, with and without sub-NUMA clustering?") {
  const Topology t = two_sockets();
  CHECK(memory_node(t, 0, MemoryPlacement::near) == 0);
  CHECK(memory_node(t, 0, MemoryPlacement::far) == 1);
  CHECK(memory_node(t, 15, MemoryPlacement::near) == 1);
  CHECK(memory_node(t, 15, MemoryPlacement::far) == 0);
  const Topology clustered = synthetic_topology("package:2 die:2 [numa] core:2 pu:1");
  REQUIRE(clustered.numa_nodes.size() == 4);
  CHECK(memory_node(clustered, 0, MemoryPlacement::far) == 2);
  CHECK(memory_node(clustered, 7, MemoryPlacement::far) == 1);
}

TEST_CASE("topology: does a machine with one node have no far memory?") {
  const Topology one = synthetic_topology("package:1 core:4 pu:1");
  CHECK(memory_node(one, 3, MemoryPlacement::near).has_value());
  CHECK_FALSE(memory_node(one, 3, MemoryPlacement::far).has_value());
  CHECK_THROWS_AS(memory_node(one, 4, MemoryPlacement::near), UsageError);
}

TEST_CASE("topology: does discovery respect the affinity mask of this process?") {
  cpu_set_t before, single;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&single);
  CPU_SET(first, &single);
  REQUIRE(sched_setaffinity(0, sizeof single, &single) == 0);
  const Topology restricted = discover_topology();
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  REQUIRE(restricted.processing_units.size() == 1);
  CHECK(restricted.processing_units[0].os_index == first);
  const Topology whole = discover_topology();
  CHECK(static_cast<int>(whole.processing_units.size()) == CPU_COUNT(&before));
  CHECK(whole.cores >= 1);
  CHECK(whole.cache_bytes(1) > 0);
}
