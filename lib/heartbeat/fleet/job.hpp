// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The account of one synchronous job: when it works, stalls, rebuilds, what it loses.
#pragma once

#include "heartbeat/fleet/scenario.hpp"

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace hpclab::heartbeat::fleet {

struct Totals {
  double useful_s = 0;  ///< work that counts, in seconds of the whole ring
  double total_s = 0;
  double paused_s = 0;      ///< stalled by pauses
  double rebuilding_s = 0;  ///< from the detection of a failure or an ejection until it works again
  double detecting_s = 0;   ///< from a failure to its detection
  double waiting_s = 0;     ///< without enough nodes
  double lost_s = 0;        ///< work done again after failures
  double checkpoint_s = 0;
  std::int64_t failures = 0;
  std::int64_t false_ejections = 0;
  std::int64_t pauses = 0;
  std::int64_t events = 0;

  void add(const Totals& other);
};

/// Events have to come in the order of their time.
class Job {
 public:
  explicit Job(const Scenario& scenario) : scenario_(scenario) {}

  /// A rank stops answering at `now` until `end`; nobody is ejected.
  void pause(Nanoseconds now, Nanoseconds end);
  /// The same, and it is ejected at `detected`.
  void false_ejection(Nanoseconds now, Nanoseconds detected);
  /// A node fails; noticed at `detected`; its hardware is back after `repair` (0: at once).
  void failure(Nanoseconds now, Nanoseconds detected, Nanoseconds repair);
  /// The account at the end of the simulated time.
  Totals finish();

 private:
  enum class State { working, paused, detecting, rebuilding };

  void advance(Nanoseconds now);
  void pass(Nanoseconds until);
  void work(double seconds);
  double speed() const;

  const Scenario& scenario_;
  Totals totals_;
  Nanoseconds now_ = 0;
  Nanoseconds pause_end_ = 0;
  Nanoseconds detected_ = 0;  // of the failure at hand
  Nanoseconds rebuilt_ = 0;
  double segment_s_ = 0;  // of work and checkpoint since the last checkpoint
  std::priority_queue<Nanoseconds, std::vector<Nanoseconds>, std::greater<>> repairs_;
};

}  // namespace hpclab::heartbeat::fleet
