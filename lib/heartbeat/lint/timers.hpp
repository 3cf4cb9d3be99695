// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The timers of a distributed job and the order that they have to keep.
#pragma once

#include <string>
#include <vector>

namespace hpclab::heartbeat::lint {

/// In seconds; 0: the job has no such timer.
struct Timers {
  double heartbeat_period_s = 1;
  double heartbeat_timeout_s = 480;
  double monitor_period_s = 1;
  double process_group_timeout_s = 600;
  double dump_wait_s = 15;
  double train_step_timeout_s = 0;
  double init_timeout_s = 0;
  double watchdog_timeout_s = 0;
  double longest_pause_s = 0;
};

struct NamedTimer {
  std::string name;
  double seconds;
};

/// Those that are set, shortest first.
std::vector<NamedTimer> ordered(const Timers& timers);

enum class Fault { equal, inverted, close };

struct Finding {
  std::string shorter;  ///< the timer that has to end first
  std::string longer;
  double shorter_s;
  double longer_s;
  double margin;  ///< longer has to exceed shorter by this factor
  Fault fault;
  std::string consequence;  ///< what happens, and where it was reported
};

const char* name_of(Fault fault);

/// Every pair of set timers that is equal, in the wrong order, or closer than its margin.
/// UsageError for a timer that is negative or not finite.
std::vector<Finding> check(const Timers& timers);

}  // namespace hpclab::heartbeat::lint
