// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/lint/timers.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::heartbeat::lint {
namespace {

struct TimerName {
  const char* name;
  double Timers::*seconds;
};

constexpr std::array timer_names{
    TimerName{"heartbeat_period_s", &Timers::heartbeat_period_s},
    TimerName{"heartbeat_timeout_s", &Timers::heartbeat_timeout_s},
    TimerName{"monitor_period_s", &Timers::monitor_period_s},
    TimerName{"process_group_timeout_s", &Timers::process_group_timeout_s},
    TimerName{"dump_wait_s", &Timers::dump_wait_s},
    TimerName{"train_step_timeout_s", &Timers::train_step_timeout_s},
    TimerName{"init_timeout_s", &Timers::init_timeout_s},
    TimerName{"watchdog_timeout_s", &Timers::watchdog_timeout_s},
    TimerName{"longest_pause_s", &Timers::longest_pause_s}};

struct Rule {
  const char* shorter;
  const char* longer;
  double margin;
  const char* consequence;
};

// What has to end first, by which factor, and what was reported where it did not.
constexpr std::array rules{
    Rule{"heartbeat_period_s", "heartbeat_timeout_s", 2,
         "one late heartbeat ejects a healthy rank (etcd-io/etcd#7312)"},
    Rule{"monitor_period_s", "heartbeat_timeout_s", 1,
         "the monitor looks too seldom: the timeout is longer than it says"},
    Rule{"longest_pause_s", "heartbeat_timeout_s", 1,
         "the watchdog kills ranks that are slow, not dead (pytorch/pytorch#116267)"},
    Rule{"longest_pause_s", "process_group_timeout_s", 1,
         "a pause that ends by itself aborts the collective"},
    Rule{"dump_wait_s", "process_group_timeout_s", 1,
         "the process is gone before its diagnostics are written"},
    Rule{"dump_wait_s", "heartbeat_timeout_s", 1,
         "the heartbeat monitor ends the process while it still writes its diagnostics"},
    Rule{"process_group_timeout_s", "train_step_timeout_s", 1,
         "the step is given up before the collective says which rank hung "
         "(pytorch/torchtitan#2899)"},
    Rule{"train_step_timeout_s", "init_timeout_s", 1,
         "start-up, which is slower than a step, is cut short (pytorch/torchtitan#2899)"},
    Rule{"process_group_timeout_s", "init_timeout_s", 1,
         "start-up is cut short by the first collective (pytorch/torchtitan#2899)"},
    Rule{"heartbeat_timeout_s", "watchdog_timeout_s", 1,
         "the watchdog ends the job before the rank at fault is known"},
    Rule{"train_step_timeout_s", "watchdog_timeout_s", 1,
         "the watchdog ends the job although steps still have time"}};

}  // namespace

std::vector<NamedTimer> ordered(const Timers& timers) {
  std::vector<NamedTimer> all;
  for (const TimerName& timer : timer_names) {
    const double seconds = timers.*timer.seconds;
    if (!(seconds >= 0) || !std::isfinite(seconds)) {
      throw UsageError(fmt::format("{} is {}, a timer is a time", timer.name, seconds));
    }
    if (seconds > 0) all.push_back({timer.name, seconds});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const NamedTimer& a, const NamedTimer& b) { return a.seconds < b.seconds; });
  return all;
}

const char* name_of(Fault fault) {
  switch (fault) {
    case Fault::equal:
      return "equal";
    case Fault::inverted:
      return "inverted";
    case Fault::close:
      return "too close";
  }
  return "?";
}

std::vector<Finding> check(const Timers& timers) {
  const std::vector<NamedTimer> all = ordered(timers);
  const auto seconds_of = [&](const std::string& name) {
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const NamedTimer& timer) { return timer.name == name; });
    return at == all.end() ? 0.0 : at->seconds;
  };
  std::vector<Finding> found;
  for (const Rule& rule : rules) {
    const double a = seconds_of(rule.shorter);
    const double b = seconds_of(rule.longer);
    if (a == 0 || b == 0 || a * rule.margin < b) continue;
    const Fault fault = a == b ? Fault::equal : a > b ? Fault::inverted : Fault::close;
    found.push_back({rule.shorter, rule.longer, a, b, rule.margin, fault, rule.consequence});
  }
  // No order of these two is wrong, but a tie is: whichever fires first decides what is reported.
  const double heartbeat = timers.heartbeat_timeout_s;
  if (heartbeat > 0 && std::abs(heartbeat - timers.process_group_timeout_s) <= timers.dump_wait_s) {
    found.push_back({"heartbeat_timeout_s", "process_group_timeout_s", heartbeat,
                     timers.process_group_timeout_s, 1,
                     heartbeat == timers.process_group_timeout_s ? Fault::equal : Fault::close,
                     "the two race, and the diagnostics are lost (pytorch/pytorch#133028)"});
  }
  return found;
}

}  // namespace hpclab::heartbeat::lint
