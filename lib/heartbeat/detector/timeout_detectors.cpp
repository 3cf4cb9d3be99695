// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/detector/timeout_detectors.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace hpclab::heartbeat {

Nanoseconds to_ns(double seconds) {
  const double ns = std::nearbyint(seconds * 1e9);
  if (!(ns < 9.2e18)) return never;
  if (ns < -9.2e18) return -never;
  return static_cast<Nanoseconds>(ns);
}

FixedTimeout::FixedTimeout(Nanoseconds timeout, Nanoseconds poll, Nanoseconds start)
    : timeout_(timeout), poll_(poll), last_(start) {
  if (timeout <= 0 || poll < 0) {
    throw std::invalid_argument("a timeout is positive and a polling period not negative");
  }
}

void FixedTimeout::on_heartbeat(const Heartbeat& beat) {
  last_ = std::max(last_, beat.received);
}

Verdict FixedTimeout::on_tick(Nanoseconds now) {
  return now >= next_deadline() ? Verdict::failed : Verdict::trusted;
}

Nanoseconds FixedTimeout::next_deadline() const {
  const Nanoseconds due = later(last_, timeout_);
  if (poll_ == 0 || due == never) return due;
  const Nanoseconds beyond = ((due % poll_) + poll_) % poll_;
  return beyond == 0 ? due : later(due, poll_ - beyond);
}

std::unique_ptr<Detector> FixedTimeout::clone() const {
  return std::make_unique<FixedTimeout>(*this);
}

LargestGapTimeout::LargestGapTimeout(double factor, Nanoseconds initial, std::int64_t warm_up,
                                     Nanoseconds start)
    : factor_(factor), initial_(initial), warm_up_(warm_up), last_(start) {
  if (!(factor > 0) || initial <= 0) {
    throw std::invalid_argument("the factor and the initial timeout are positive");
  }
}

void LargestGapTimeout::on_heartbeat(const Heartbeat& beat) {
  const Nanoseconds at = std::max(last_, beat.received);
  if (++gaps_ > 0) largest_ = std::max(largest_, at - last_);
  last_ = at;
}

Verdict LargestGapTimeout::on_tick(Nanoseconds now) {
  return now >= next_deadline() ? Verdict::failed : Verdict::trusted;
}

Nanoseconds LargestGapTimeout::next_deadline() const {
  if (gaps_ < warm_up_) return later(last_, initial_);
  return later(last_, std::max<Nanoseconds>(to_ns(factor_ * to_s(largest_)), 1));
}

std::unique_ptr<Detector> LargestGapTimeout::clone() const {
  return std::make_unique<LargestGapTimeout>(*this);
}

}  // namespace hpclab::heartbeat
