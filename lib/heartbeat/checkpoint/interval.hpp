// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How much work to do between two checkpoints when failures are a Poisson process.
//
// A segment of work w with its checkpoint delta has to end before the next failure; after one come
// detection D and a restart R, which failures interrupt as well:
//   E[T] = (M + D) e^{R/M} (e^{(w + delta)/M} - 1), M the mean time between failures.
// Its best w does not depend on D and R.
#pragma once

namespace hpclab::heartbeat::checkpoint {

struct Costs {
  double mtbf_s = 86400;
  double checkpoint_s = 300;
  double restart_s = 300;
  double detection_s = 0;
};

/// Expected time of a segment of `work_s`; infinite where it exceeds a double.
double expected_segment_s(const Costs& costs, double work_s);
/// work_s / expected_segment_s.
double efficiency(const Costs& costs, double work_s);

/// The best work between checkpoints, exact: M (1 + W0(-e^{-delta/M - 1})), W0 the principal branch
/// of Lambert's function.
double exact_interval_s(const Costs& costs);
/// First order: sqrt(2 delta M) (Young, Communications of the ACM 1974).
double young_interval_s(const Costs& costs);
/// Higher order (Daly, Future Generation Computer Systems 2006); M from delta = 2 M on.
double daly_interval_s(const Costs& costs);

}  // namespace hpclab::heartbeat::checkpoint
