// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The event-skipping engine: only pauses and failures are events. Between two of them heartbeats
// follow from the rank's phase, so that the verdict of the timeout on a pause is known when the
// pause begins.
#pragma once

#include "core/stop_token.hpp"
#include "events/event.hpp"
#include "heartbeat/fleet/job.hpp"
#include "heartbeat/fleet/scenario.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hpclab::heartbeat::fleet {

/// What a detector said of a rank (pause) or node (failure), for comparing engines.
struct Detection {
  Nanoseconds time = 0;
  std::int64_t index = 0;
  bool failure = false;
  friend bool operator==(const Detection&, const Detection&) = default;
};

/// Runs the scenario. `detections`, when given, gets every verdict in the order of the events that
/// caused them. Ids of events: ranks, then nodes.
template <class Queue>
Totals run_skipping(const Scenario& s, Queue queue, const StopToken& stop,
                    std::vector<Detection>* detections = nullptr) {
  struct Rank {
    Nanoseconds resumed;
    std::uint32_t pauses;
  };
  Job job(s);
  std::vector<Rank> ranks(static_cast<std::size_t>(s.ranks), Rank{-s.period, 0});
  std::vector<Nanoseconds> lengths;  // of the pause that each rank has pending
  std::vector<std::uint32_t> failures(static_cast<std::size_t>(s.nodes()), 0);
  const bool pausing = s.pause_rate_per_s > 0;
  const auto first_node = static_cast<std::uint64_t>(s.ranks);
  if (pausing) {
    lengths.resize(ranks.size());
    for (std::int64_t rank = 0; rank < s.ranks; ++rank) {
      const NextPause next = next_pause(s, rank, 0);
      lengths[static_cast<std::size_t>(rank)] = next.length;
      if (next.gap < s.horizon) queue.push({next.gap, static_cast<std::uint64_t>(rank)});
    }
  }
  if (s.replay.empty() && s.node_failure_rate_per_s > 0) {
    for (std::int64_t node = 0; node < s.nodes(); ++node) {
      const Nanoseconds gap = next_failure_gap(s, node, 0);
      if (gap < s.horizon) queue.push({gap, first_node + static_cast<std::uint64_t>(node)});
    }
  }
  std::size_t replayed = 0;
  const auto push_replay = [&] {
    if (replayed == s.replay.size() || s.replay[replayed] >= s.horizon) return;
    queue.push({s.replay[replayed],
                first_node + s.replay_nodes[replayed] % static_cast<std::uint64_t>(s.nodes())});
    ++replayed;
  };
  push_replay();

  std::int64_t events = 0;
  std::int64_t pauses = 0;
  while (!queue.empty()) {
    const events::Event event = queue.pop();
    if (++events % (1 << 20) == 0) stop.throw_if_requested();
    const Nanoseconds now = event.time;
    if (event.id < first_node) {
      const auto rank = static_cast<std::int64_t>(event.id);
      Rank& state = ranks[event.id];
      ++pauses;
      const Nanoseconds end = later(now, lengths[event.id]);
      // Without the period's phase the shortest silence that can fail is timeout - period.
      bool ejected = false;
      Nanoseconds detected = 0;
      if (lengths[event.id] > s.timeout - s.period) {
        detected = last_heartbeat(s, rank, now, state.resumed) + s.timeout;
        ejected = detected < end;
      }
      if (ejected) {
        job.false_ejection(now, detected);
        if (detections) detections->push_back({detected, rank, false});
      } else {
        job.pause(now, end);
      }
      state.resumed = end;
      const NextPause next = next_pause(s, rank, ++state.pauses);
      lengths[event.id] = next.length;
      const Nanoseconds begin = later(end, next.gap);
      if (begin < s.horizon) queue.push({begin, event.id});
    } else {
      const auto node = static_cast<std::int64_t>(event.id - first_node);
      const std::int64_t begin = node * s.ranks_per_node;
      Nanoseconds last = now;
      for (std::int64_t r = begin; r < std::min(begin + s.ranks_per_node, s.ranks); ++r) {
        const Nanoseconds resumed = ranks[static_cast<std::size_t>(r)].resumed;
        // A rank that pauses now sent its last heartbeat before; the others tell of the failure.
        if (resumed > now) continue;
        last = std::min(last, last_heartbeat(s, r, now, resumed));
      }
      std::uint32_t& count = failures[static_cast<std::size_t>(node)];
      const Nanoseconds repair = s.repair_mean_s > 0 ? repair_time(s, node, count) : 0;
      job.failure(now, last + s.timeout, repair);
      if (detections) detections->push_back({last + s.timeout, node, true});
      ++count;
      if (!s.replay.empty()) {
        push_replay();
        continue;
      }
      const Nanoseconds next = later(now, next_failure_gap(s, node, count));
      if (next < s.horizon) queue.push({next, event.id});
    }
  }
  Totals totals = job.finish();
  totals.events = events;
  totals.pauses = pauses;
  return totals;
}

}  // namespace hpclab::heartbeat::fleet
