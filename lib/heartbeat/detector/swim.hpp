// hpclab: SPDX-License-Identifier: Apache-2.0
//
// SWIM (Das, Gupta & Motivala, DSN 2002) with suspicion and Lifeguard (Dadgar, Phillips & Currey,
// DSN 2018), with the rules and constants of hashicorp/memberlist.
#pragma once

#include "heartbeat/detector/detector.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace hpclab::heartbeat {

struct SwimOptions {
  Nanoseconds probe_interval = 1'000'000'000;
  Nanoseconds probe_timeout = 500'000'000;
  int indirect_checks = 3;
  int suspicion_factor = 4;          ///< memberlist's SuspicionMult
  int suspicion_maximum_factor = 6;  ///< times the minimum suspicion timeout
  int awareness_limit = 8;           ///< health scores are 0 .. limit - 1
  int retransmit_factor = 4;
  std::int64_t members = 8;
};

/// memberlist's default configurations for LAN, WAN and one machine.
SwimOptions swim_lan();
SwimOptions swim_wan();
SwimOptions swim_local();

/// Shortest suspicion: factor * max(1, log10 n) * interval, to the millisecond below.
Nanoseconds minimum_suspicion(const SwimOptions& options);
/// Longest: suspicion_maximum_factor times the shortest.
Nanoseconds maximum_suspicion(const SwimOptions& options);
/// Confirmations that shorten a suspicion to its minimum: suspicion_factor - 2, and 0 when there
/// are not so many other members.
int expected_confirmations(const SwimOptions& options);
/// How often a message is gossiped: factor * ceil(log10(n + 1)).
int retransmissions(const SwimOptions& options);

/// Probability-theoretic expectation of the protocol periods until some member of n probes a failed
/// one first, each probing one of the n - 1 others at random: 1 / (1 - (1 - 1/(n-1))^(n-1)); tends
/// to e / (e - 1).
double expected_first_detection_periods(std::int64_t members);

/// Lifeguard's local health: a member whose probes fail for reasons of its own becomes slower to
/// accuse. Score 0 is healthy.
class LocalHealth {
 public:
  explicit LocalHealth(int limit) : limit_(limit) {}
  void probe_succeeded() { add(-1); }
  /// `expected` nacks were asked of helpers, `received` came; without helpers that can say nack
  /// (expected = 0) the whole failure counts as one.
  void probe_failed(int expected, int received) { add(expected > 0 ? expected - received : 1); }
  void refuted_own_suspicion() { add(1); }
  int score() const { return score_; }
  Nanoseconds scaled(Nanoseconds time) const;

 private:
  void add(int delta);
  int limit_;
  int score_ = 0;
};

/// The timer of one suspicion; confirmations by others than the first accuser shorten it.
class Suspicion {
 public:
  Suspicion(const SwimOptions& options, Nanoseconds start, std::string accuser);
  /// True when the confirmation counts: a new accuser, and more are needed.
  bool confirm(const std::string& accuser);
  int confirmations() const { return static_cast<int>(accusers_.size()) - 1; }
  Nanoseconds deadline() const;

 private:
  Nanoseconds start_;
  Nanoseconds minimum_;
  Nanoseconds maximum_;
  int needed_;
  std::set<std::string> accusers_;
};

/// One observer's view of one member. A heartbeat stands for an answered probe: when none came for
/// a probe interval (scaled by the observer's health) and the probe's own timeout, the member is
/// suspected, and failed when the suspicion's timer ends. A heartbeat refutes the suspicion.
class SwimDetector final : public Detector {
 public:
  explicit SwimDetector(const SwimOptions& options, Nanoseconds start = 0);

  void on_heartbeat(const Heartbeat& beat) override;
  Verdict on_tick(Nanoseconds now) override;
  Nanoseconds next_deadline() const override;
  Nanoseconds failure_deadline() const override;
  std::unique_ptr<Detector> clone() const override;

  /// Another member suspects the same one.
  void on_confirmation(const std::string& accuser);
  LocalHealth& health() { return health_; }

 private:
  Nanoseconds suspicion_start() const;

  SwimOptions options_;
  LocalHealth health_;
  Nanoseconds last_;
  std::unique_ptr<Suspicion> suspicion_;
};

}  // namespace hpclab::heartbeat
