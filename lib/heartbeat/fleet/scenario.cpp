// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/fleet/scenario.hpp"

#include <algorithm>
#include <cmath>

namespace hpclab::heartbeat::fleet {

Nanoseconds Scenario::phase_of(std::int64_t rank) const {
  const double u = uniforms(seed, Purpose::phase, static_cast<std::uint64_t>(rank), 0).first;
  return std::min(static_cast<Nanoseconds>(u * static_cast<double>(period)), period - 1);
}

NextPause next_pause(const Scenario& s, std::int64_t rank, std::uint32_t count) {
  const Pair u = uniforms(s.seed, Purpose::pause, static_cast<std::uint64_t>(rank), count);
  return {std::max<Nanoseconds>(to_ns(-std::log(u.first) / s.pause_rate_per_s), 1),
          std::max<Nanoseconds>(to_ns(s.pauses->draw(u.second)), 1)};
}

Nanoseconds next_failure_gap(const Scenario& s, std::int64_t node, std::uint32_t count) {
  const auto index = static_cast<std::uint64_t>(node);
  const Pair u = uniforms(s.seed, Purpose::failure, index, count);
  double rate = s.node_failure_rate_per_s;
  if (s.lemon_share > 0) {
    // The mean rate over good nodes and lemons stays the stated one.
    rate /= 1 - s.lemon_share + s.lemon_share * s.lemon_factor;
    const Pair kind = uniforms(s.seed, Purpose::failure, index, 0xffffffffU);
    if (kind.first <= s.lemon_share) rate *= s.lemon_factor;
  }
  if (!(rate > 0)) return never;
  const double exponential = -std::log(u.first);
  const double gap = s.weibull_shape == 1 ? exponential / rate
                                          : std::pow(exponential, 1 / s.weibull_shape) /
                                                (rate * std::tgamma(1 + 1 / s.weibull_shape));
  return std::max<Nanoseconds>(to_ns(gap), 1);
}

Nanoseconds repair_time(const Scenario& s, std::int64_t node, std::uint32_t count) {
  const Pair u = uniforms(s.seed, Purpose::repair, static_cast<std::uint64_t>(node), count);
  return to_ns(-std::log(u.first) * s.repair_mean_s);
}

Nanoseconds last_heartbeat(const Scenario& s, std::int64_t rank, Nanoseconds now,
                           Nanoseconds resumed) {
  const Nanoseconds phase = s.phase_of(rank);
  // Before its first heartbeat a rank counts from the one it would have sent before the start.
  const Nanoseconds since = now - phase;
  const Nanoseconds turns = since >= 0 ? since / s.period : -1;
  return std::max(phase + turns * s.period, resumed);
}

}  // namespace hpclab::heartbeat::fleet
