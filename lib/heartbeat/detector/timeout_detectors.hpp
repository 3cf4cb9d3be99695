// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Detectors that wait a fixed time, and one that learns it from the largest gap seen.
#pragma once

#include "heartbeat/detector/detector.hpp"

namespace hpclab::heartbeat {

/// Fails a sender that was silent for `timeout`. With `poll` > 0 somebody looks only at multiples
/// of `poll`, which adds up to one of them. k missed heartbeats of period h are timeout = k h.
class FixedTimeout final : public Detector {
 public:
  /// `start`: the moment from which the first heartbeat is awaited. Throws std::invalid_argument
  /// for timeout <= 0 or poll < 0.
  explicit FixedTimeout(Nanoseconds timeout, Nanoseconds poll = 0, Nanoseconds start = 0);

  void on_heartbeat(const Heartbeat& beat) override;
  Verdict on_tick(Nanoseconds now) override;
  Nanoseconds next_deadline() const override;
  std::unique_ptr<Detector> clone() const override;

 private:
  Nanoseconds timeout_;
  Nanoseconds poll_;
  Nanoseconds last_;
};

/// The rule of NVIDIA's resiliency extension: `factor` times the largest gap observed so far (5 by
/// default there), `initial` until `warm_up` gaps were seen. Gaps that ended a verdict of failed
/// count as well: the sender was alive.
class LargestGapTimeout final : public Detector {
 public:
  LargestGapTimeout(double factor, Nanoseconds initial, std::int64_t warm_up = 3,
                    Nanoseconds start = 0);

  void on_heartbeat(const Heartbeat& beat) override;
  Verdict on_tick(Nanoseconds now) override;
  Nanoseconds next_deadline() const override;
  std::unique_ptr<Detector> clone() const override;

 private:
  double factor_;
  Nanoseconds initial_;
  std::int64_t warm_up_;
  std::int64_t gaps_ = -1;  // the first heartbeat ends no gap
  Nanoseconds largest_ = 0;
  Nanoseconds last_;
};

}  // namespace hpclab::heartbeat
