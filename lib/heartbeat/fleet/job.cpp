// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/fleet/job.hpp"

#include <algorithm>
#include <cmath>

namespace hpclab::heartbeat::fleet {

void Totals::add(const Totals& o) {
  useful_s += o.useful_s;
  total_s += o.total_s;
  paused_s += o.paused_s;
  rebuilding_s += o.rebuilding_s;
  detecting_s += o.detecting_s;
  waiting_s += o.waiting_s;
  lost_s += o.lost_s;
  checkpoint_s += o.checkpoint_s;
  failures += o.failures;
  false_ejections += o.false_ejections;
  pauses += o.pauses;
  events += o.events;
}

double Job::speed() const {
  const auto away = static_cast<std::int64_t>(repairs_.size()) - scenario_.spares;
  if (away <= 0) return 1;
  if (scenario_.shortage == Shortage::wait) return 0;
  const auto nodes = static_cast<double>(scenario_.nodes());
  return std::max(nodes - static_cast<double>(away), 0.0) / nodes;
}

void Job::work(double seconds) {
  const double rate = speed();
  if (rate == 0) {
    totals_.waiting_s += seconds;
    return;
  }
  if (scenario_.checkpoint_interval_s <= 0) {
    totals_.useful_s += rate * seconds;
    // What a smaller ring does not do is waiting of the ranks that are away.
    totals_.waiting_s += (1 - rate) * seconds;
    return;
  }
  const double whole = scenario_.checkpoint_interval_s / rate + scenario_.checkpoint_s;
  segment_s_ += seconds;
  const double done = std::floor(segment_s_ / whole);
  segment_s_ -= done * whole;
  totals_.useful_s += done * scenario_.checkpoint_interval_s;
  totals_.checkpoint_s += done * scenario_.checkpoint_s;
  totals_.waiting_s += done * scenario_.checkpoint_interval_s * (1 / rate - 1);
}

// One stretch of time in which the state does not change.
void Job::pass(Nanoseconds until) {
  const double seconds = to_s(until - now_);
  if (now_ < detected_) {
    totals_.detecting_s += seconds;
  } else if (now_ < rebuilt_) {
    totals_.rebuilding_s += seconds;
  } else if (now_ < pause_end_) {
    totals_.paused_s += seconds;
  } else {
    work(seconds);
  }
  now_ = until;
}

void Job::advance(Nanoseconds now) {
  now = std::min(now, scenario_.horizon);
  while (now_ < now) {
    while (!repairs_.empty() && repairs_.top() <= now_) repairs_.pop();
    Nanoseconds until = now;
    for (const Nanoseconds end : {detected_, rebuilt_, pause_end_}) {
      if (end > now_) until = std::min(until, end);
    }
    if (!repairs_.empty()) until = std::min(until, repairs_.top());
    pass(until);
  }
}

void Job::pause(Nanoseconds now, Nanoseconds end) {
  advance(now);
  pause_end_ = std::max(pause_end_, end);
}

void Job::false_ejection(Nanoseconds now, Nanoseconds detected) {
  advance(now);
  ++totals_.false_ejections;
  pause_end_ = std::max(pause_end_, detected);
  // A ring that is being rebuilt takes the change of membership along.
  if (now >= rebuilt_) {
    rebuilt_ = std::max(rebuilt_, later(detected, scenario_.rebuild));
  }
}

void Job::failure(Nanoseconds now, Nanoseconds detected, Nanoseconds repair) {
  advance(now);
  ++totals_.failures;
  if (repair > 0) repairs_.push(later(now, repair));
  totals_.lost_s += segment_s_;
  segment_s_ = 0;
  // One failure while another is being detected is found with it; during a rebuild it starts anew.
  if (now < detected_) return;
  detected_ = detected;
  rebuilt_ = later(detected, scenario_.rebuild);
}

Totals Job::finish() {
  advance(scenario_.horizon);
  totals_.total_s = to_s(scenario_.horizon);
  // Work since the last checkpoint is done, if not yet saved.
  if (scenario_.checkpoint_interval_s > 0) {
    totals_.useful_s += std::min(segment_s_, scenario_.checkpoint_interval_s);
  }
  return totals_;
}

}  // namespace hpclab::heartbeat::fleet
