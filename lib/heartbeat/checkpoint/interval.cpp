// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/checkpoint/interval.hpp"

#include <cmath>

#include <boost/math/special_functions/lambert_w.hpp>

namespace hpclab::heartbeat::checkpoint {

double expected_segment_s(const Costs& c, double work_s) {
  return (c.mtbf_s + c.detection_s) * std::exp(c.restart_s / c.mtbf_s) *
         std::expm1((work_s + c.checkpoint_s) / c.mtbf_s);
}

double efficiency(const Costs& costs, double work_s) {
  return work_s / expected_segment_s(costs, work_s);
}

double exact_interval_s(const Costs& c) {
  const double ratio = c.checkpoint_s / c.mtbf_s;
  // Near the branch point -1/e the argument of W0 loses its digits: there the series in
  // p = sqrt(2 (1 - e^{-ratio})) says the same (Corless et al. 1996).
  if (ratio < 1e-6) {
    const double p = std::sqrt(-2 * std::expm1(-ratio));
    return c.mtbf_s * p * (1 - p / 3 + 11 * p * p / 72);
  }
  return c.mtbf_s * (1 + boost::math::lambert_w0(-std::exp(-ratio - 1)));
}

double young_interval_s(const Costs& c) {
  return std::sqrt(2 * c.checkpoint_s * c.mtbf_s);
}

double daly_interval_s(const Costs& c) {
  if (c.checkpoint_s >= 2 * c.mtbf_s) return c.mtbf_s;
  const double x = c.checkpoint_s / (2 * c.mtbf_s);
  return young_interval_s(c) * (1 + std::sqrt(x) / 3 + x / 9) - c.checkpoint_s;
}

}  // namespace hpclab::heartbeat::checkpoint
