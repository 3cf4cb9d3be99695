// hpclab: SPDX-License-Identifier: Apache-2.0
//
// An event of a simulation and the one order in which all queues give events back: by time, then by
// id. Queues that hold the same events therefore give them in the same order, to the last bit.
//
// Every queue has push(event), empty(), size() and pop(), which returns the least event. Times are
// integer nanoseconds >= 0, and nothing is pushed before the event popped last.
#pragma once

#include <cstdint>

namespace hpclab::events {

struct Event {
  std::int64_t time = 0;
  std::uint64_t id = 0;

  friend bool operator<(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.id < b.id;
  }
  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace hpclab::events
