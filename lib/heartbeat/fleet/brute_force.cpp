// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/fleet/brute_force.hpp"

#include "events/heap_queue.hpp"
#include "heartbeat/detector/timeout_detectors.hpp"

#include <algorithm>

namespace hpclab::heartbeat::fleet {
namespace {

// What happens at an event; at equal times in this order, so that a heartbeat at the moment of the
// deadline counts.
enum Kind : std::uint64_t { resume = 0, heartbeat = 1, pause = 2, look = 3, failure = 4 };

struct Rank {
  FixedTimeout detector;
  Nanoseconds pause_end = -1;
  Nanoseconds next_length = 0;
  std::uint32_t pauses = 0;
  bool ejected = false;  // until it is heard again
};

}  // namespace

BruteForce run_brute_force(const Scenario& s) {
  BruteForce result;
  events::HeapQueue<2> queue;
  const auto push = [&](Nanoseconds time, Kind kind, std::int64_t index) {
    if (time < s.horizon) queue.push({time, kind << 40 | static_cast<std::uint64_t>(index)});
  };
  std::vector<Rank> ranks;
  for (std::int64_t r = 0; r < s.ranks; ++r) {
    const Nanoseconds phase = s.phase_of(r);
    ranks.push_back({FixedTimeout(s.timeout, 0, phase - s.period)});
    push(phase, heartbeat, r);
    push(phase - s.period + s.timeout, look, r);
    if (s.pause_rate_per_s > 0) {
      const NextPause next = next_pause(s, r, 0);
      ranks.back().next_length = next.length;
      push(next.gap, pause, r);
    }
  }
  while (!queue.empty()) {
    const events::Event event = queue.pop();
    const auto kind = static_cast<Kind>(event.id >> 40);
    const auto r = static_cast<std::int64_t>(event.id & ((std::uint64_t{1} << 40) - 1));
    Rank& rank = ranks[static_cast<std::size_t>(r)];
    const Nanoseconds now = event.time;
    const auto send = [&] {
      ++result.heartbeats;
      rank.detector.on_heartbeat({now, result.heartbeats});
      rank.ejected = false;
      push(rank.detector.next_deadline(), look, r);
    };
    switch (kind) {
      case heartbeat:
        push(now + s.period, heartbeat, r);
        if (now > rank.pause_end) send();
        break;
      case resume: {
        send();
        const NextPause next = next_pause(s, r, ++rank.pauses);
        rank.next_length = next.length;
        push(later(now, next.gap), pause, r);
        break;
      }
      case pause:
        rank.pause_end = later(now, rank.next_length);
        push(rank.pause_end, resume, r);
        break;
      case look:
        if (!rank.ejected && rank.detector.on_tick(now) == Verdict::failed) {
          rank.ejected = true;
          result.detections.push_back({now, r, false});
        }
        break;
      case failure:
        break;
    }
  }
  return result;
}

}  // namespace hpclab::heartbeat::fleet
