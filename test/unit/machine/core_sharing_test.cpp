// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/core_sharing.hpp"

#include "support/catch.hpp"

#include <string>

using namespace hpclab::machine;

TEST_CASE("core sharing: does a team of one never slow itself down?") {
  ThreadTeam team(discover_topology(), 1);
  CHECK(slowdown_together(team) == 1);
  CHECK_FALSE(CoreSharingWatch(team).note());
}

TEST_CASE("core sharing: is the note there exactly when the threads slow each other down?") {
  const Topology topology = discover_topology();
  if (topology.processing_units.size() < 2) {
    WARN("skipped: one processing unit");
    return;
  }
  ThreadTeam team(topology, 2);
  // The state may change between two looks at it: agreement once in ten is enough.
  bool agreed = false;
  for (int i = 0; i < 10 && !agreed; ++i) {
    const double slowdown = slowdown_together(team);
    REQUIRE(slowdown > 0);
    const auto note = CoreSharingWatch(team).note();
    agreed = note.has_value() == (slowdown > 1.3);
    if (note) CHECK(note->find("noisy: 2 threads slow each other down") == 0);
  }
  CHECK(agreed);
}
