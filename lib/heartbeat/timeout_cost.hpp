// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a timeout costs a synchronous ring: seconds of stall for each second of useful work.
//
// N ranks, each with lambda failures and mu pauses a second, heartbeats every h, timeout tau
// counted from the last heartbeat, phase U of a failure or pause uniform in (0, h):
//   C = N lambda (tau - h/2 + R_f) + N mu E_U[ E min(P, tau - U) + R_e P(P > tau - U) ].
// N E-terms of different ranks do not overlap in this model: it holds while C is well below 1.
// A pause stalls the ring even when nobody is ejected: its mean is the floor that no timeout
// avoids.
#pragma once

#include "heartbeat/pause_law.hpp"

#include <vector>

namespace hpclab::heartbeat {

/// After a pause the sender sends at once (catch_up) or at its next multiple of the period
/// (aligned), which rounds every silence up.
enum class Sender { catch_up, aligned };

struct TimeoutProblem {
  double ranks = 8;
  double failure_rate_per_s = 1e-6;  ///< of one rank
  double pause_rate_per_s = 1e-3;    ///< of one rank
  double period_s = 1;               ///< 0: heartbeats without a gap
  double failure_rebuild_s = 60;     ///< rebuild and lost work after a true failure
  double ejection_rebuild_s = 60;    ///< the same after a false ejection
  Sender sender = Sender::catch_up;
  PauseLawPtr pauses;
};

/// Each in seconds of stall for a second of useful work, of the whole ring.
struct TimeoutCost {
  double floor = 0;      ///< N mu E[P]: pauses that stall whatever the timeout is
  double detection = 0;  ///< N lambda (tau - h/2)
  double rebuild = 0;    ///< N lambda R_f: after true failures, whatever the timeout is
  double false_ejection =
      0;  ///< rebuilds after false ejections, less the pause that they cut short
  double false_ejections_per_s = 0;

  double total() const { return floor + detection + rebuild + false_ejection; }
};

/// UsageError when the timeout is below the period, or a parameter is negative.
TimeoutCost cost_of(const TimeoutProblem& problem, double timeout_s);

/// dC/dtau for a smooth law and a sender that catches up.
double cost_slope(const TimeoutProblem& problem, double timeout_s);

struct Optimum {
  double timeout_s = 0;
  double cost_ratio = 0;
};

struct Optima {
  Optimum best;
  std::vector<Optimum> local;  ///< minima (best included) by ascending timeout
  bool unbounded = false;      ///< failures cost nothing: the longest timeout searched is the best
};

/// The timeout of least cost and the other local minima. Smooth laws: sign changes of the slope;
/// empirical ones and aligned senders: exact scan of every breakpoint, of which the local minima
/// listed are the least within a factor of 1.5 to both sides.
Optima find_optima(const TimeoutProblem& problem);

}  // namespace hpclab::heartbeat
