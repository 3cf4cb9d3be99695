// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Our own detector: the timeout that would have cost least on the gaps seen so far.
//
// A gap g between two heartbeats of a live sender costs the ring min(g, tau) of waiting, and a
// rebuild R more when g > tau; a failure, at lambda a second, costs tau of waiting. Over T seconds
// with gaps g_i the cost is T lambda tau + sum_i [min(g_i, tau) + R (g_i > tau)], piecewise linear
// in tau with downward jumps at the gaps: its minimum lies at a gap (exact breakpoint scan over the
// largest gaps kept), or in the tail beyond what was seen, where a generalised Pareto distribution
// fitted to the largest excesses by probability-weighted moments (Hosking & Wallis 1987) stands for
// the gaps still to come. Between the two, the tail's prediction replaces raw counts.
#pragma once

#include "heartbeat/detector/detector.hpp"

#include <cstddef>
#include <vector>

namespace hpclab::heartbeat {

struct OnlineOptimumOptions {
  double failure_rate_per_s = 1e-6;
  double rebuild_s = 60;
  Nanoseconds initial = 10'000'000'000;  ///< until warm_up gaps were seen
  std::size_t warm_up = 100;
  std::size_t kept = 8192;     ///< largest gaps remembered
  double tail_share = 0.02;    ///< of the irregular gaps, those that the tail is fitted to
  Nanoseconds period = 0;      ///< gaps up to 1.5 periods are regular and only counted
  std::size_t recompute = 64;  ///< irregular gaps between two scans, at most 2 % of those seen
};

/// Excesses over a threshold: P(X > x) = (1 + shape x / scale)^(-1 / shape).
struct ParetoTail {
  double scale = 1;
  double shape = 0;
  double survival(double excess) const;
  /// Integral of the survival from 0 to `excess`.
  double limited_mean(double excess) const;
};

/// From ascending excesses, at least 2.
ParetoTail fit_pareto_tail(const std::vector<double>& excesses);

class OnlineOptimum final : public Detector {
 public:
  explicit OnlineOptimum(const OnlineOptimumOptions& options, Nanoseconds start = 0);

  void on_heartbeat(const Heartbeat& beat) override;
  Verdict on_tick(Nanoseconds now) override;
  Nanoseconds next_deadline() const override;
  std::unique_ptr<Detector> clone() const override;

  Nanoseconds timeout() const { return timeout_; }

 private:
  void remember(double gap_s);
  void rescan();

  OnlineOptimumOptions options_;
  std::vector<double> largest_;  // a heap with the least on top
  std::size_t irregular_ = 0;    // gaps beyond 1.5 periods
  std::size_t since_scan_ = 0;
  Nanoseconds watched_ = 0;
  Nanoseconds last_;
  bool started_ = false;
  Nanoseconds timeout_;
};

}  // namespace hpclab::heartbeat
