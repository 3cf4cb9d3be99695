// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Quality of service of a failure detector on given arrivals, in the terms of Chen, Toueg &
// Aguilera (2002): how long until it notices, how often and how long it is wrong, how often right
// when asked; and what its verdicts cost a synchronous ring.
#pragma once

#include "core/stop_token.hpp"
#include "heartbeat/detector/detector.hpp"

#include <cstdint>
#include <vector>

namespace hpclab::heartbeat::detectors {

/// A heartbeat of a sender that never fails.
struct Sent {
  Nanoseconds received = 0;
  Nanoseconds sent = 0;
  std::int64_t sequence = 0;
};

struct RingCosts {
  double failure_rate_per_s = 0;
  double rebuild_s = 0;
  Nanoseconds period = 0;  ///< longer gaps than 1.5 periods count as silences
};

struct Quality {
  double watched_s = 0;
  std::int64_t mistakes = 0;
  double wrong_s = 0;               ///< time in mistakes
  std::vector<double> durations_s;  ///< of mistakes, at most 10,000 kept
  std::vector<double> starts_s;     ///< their beginnings, likewise
  std::vector<double> detection_s;  ///< from the moment of a crash to the verdict
  double silence_cost_s = 0;        ///< sum over silences of min(gap, timeout) and rebuilds
  double cost_ratio = 0;            ///< with failures: stall per second
  double best_cost_ratio = 0;       ///< of the fixed timeout that knew all gaps
  double best_timeout_s = 0;
};

/// Drives the detector through the arrivals (ascending). The first `warm_up` of them teach it and
/// are not judged. Crashes are put after every `crash_every`-th arrival, at a moment of the
/// interval to the next heartbeat that cycles through it.
Quality judge(const Detector& fresh, const std::vector<Sent>& arrivals, std::size_t warm_up,
              std::size_t crash_every, const RingCosts& costs, const StopToken& stop);

/// Chen's closed form for NFD-S with loss probability and exponential delays.
struct NfdQuality {
  double mistake_recurrence_s = 0;
  double mistake_duration_s = 0;
  double query_accuracy_ratio = 0;
};
NfdQuality nfd_s_quality(double eta_s, double delta_s, double loss_ratio, double delay_mean_s);

}  // namespace hpclab::heartbeat::detectors
