// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The oracle of the event-skipping engine: every heartbeat of every rank is an event, and a
// FixedTimeout per rank decides. Catch-up senders only.
#pragma once

#include "heartbeat/fleet/engine.hpp"

#include <vector>

namespace hpclab::heartbeat::fleet {

struct BruteForce {
  std::vector<Detection> detections;  ///< by time
  std::int64_t heartbeats = 0;
};

BruteForce run_brute_force(const Scenario& scenario);

}  // namespace hpclab::heartbeat::fleet
