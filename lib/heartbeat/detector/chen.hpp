// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The detectors of Chen, Toueg & Aguilera ("On the quality of service of failure detectors", IEEE
// Transactions on Computers 2002): heartbeat i is sent at i eta; from the freshness point tau_i on
// the sender is trusted only if heartbeat i or a later one has come.
#pragma once

#include "heartbeat/detector/detector.hpp"

#include <cstddef>
#include <deque>

namespace hpclab::heartbeat {

/// NFD-S and NFD-U: tau_i = i eta + shift. NFD-S (synchronised clocks): shift = delta. NFD-U: shift
/// = expected arrival of heartbeat 0 + alpha, known beforehand.
class FreshnessPoints final : public Detector {
 public:
  /// Throws std::invalid_argument for eta <= 0.
  FreshnessPoints(Nanoseconds eta, Nanoseconds shift);

  void on_heartbeat(const Heartbeat& beat) override;
  Verdict on_tick(Nanoseconds now) override;
  Nanoseconds next_deadline() const override;
  std::unique_ptr<Detector> clone() const override;

 private:
  Nanoseconds eta_;
  Nanoseconds shift_;
  std::int64_t latest_ = -1;
};

/// NFD-E: the expected arrival is the mean of (arrival - sequence eta) over the last `window`
/// heartbeats, and the next freshness point lies alpha beyond it.
class EstimatedFreshness final : public Detector {
 public:
  EstimatedFreshness(Nanoseconds eta, Nanoseconds alpha, std::size_t window = 1000);

  void on_heartbeat(const Heartbeat& beat) override;
  Verdict on_tick(Nanoseconds now) override;
  Nanoseconds next_deadline() const override { return deadline_; }
  std::unique_ptr<Detector> clone() const override;

 private:
  Nanoseconds eta_;
  Nanoseconds alpha_;
  std::size_t window_;
  std::int64_t latest_ = -1;
  std::deque<Nanoseconds> offsets_;
  __extension__ __int128 sum_ = 0;
  Nanoseconds deadline_ = never;
};

}  // namespace hpclab::heartbeat
