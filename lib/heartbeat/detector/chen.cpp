// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/detector/chen.hpp"

#include <stdexcept>

namespace hpclab::heartbeat {

FreshnessPoints::FreshnessPoints(Nanoseconds eta, Nanoseconds shift) : eta_(eta), shift_(shift) {
  if (eta <= 0) throw std::invalid_argument("the period between heartbeats is positive");
}

void FreshnessPoints::on_heartbeat(const Heartbeat& beat) {
  latest_ = beat.sequence > latest_ ? beat.sequence : latest_;
}

Verdict FreshnessPoints::on_tick(Nanoseconds now) {
  return now >= next_deadline() ? Verdict::failed : Verdict::trusted;
}

Nanoseconds FreshnessPoints::next_deadline() const {
  if (latest_ > (never / 2) / eta_) return never;
  return (latest_ + 1) * eta_ + shift_;
}

std::unique_ptr<Detector> FreshnessPoints::clone() const {
  return std::make_unique<FreshnessPoints>(*this);
}

EstimatedFreshness::EstimatedFreshness(Nanoseconds eta, Nanoseconds alpha, std::size_t window)
    : eta_(eta), alpha_(alpha), window_(window) {
  if (eta <= 0 || alpha < 0 || window == 0) {
    throw std::invalid_argument("period and window are positive, the margin not negative");
  }
}

void EstimatedFreshness::on_heartbeat(const Heartbeat& beat) {
  if (beat.sequence <= latest_ || beat.sequence > (never / 2) / eta_) return;
  latest_ = beat.sequence;
  offsets_.push_back(beat.received - beat.sequence * eta_);
  sum_ += offsets_.back();
  if (offsets_.size() > window_) {
    sum_ -= offsets_.front();
    offsets_.pop_front();
  }
  const auto mean = static_cast<Nanoseconds>(sum_ / static_cast<std::int64_t>(offsets_.size()));
  deadline_ = mean + (latest_ + 1) * eta_ + alpha_;
}

Verdict EstimatedFreshness::on_tick(Nanoseconds now) {
  return now >= deadline_ ? Verdict::failed : Verdict::trusted;
}

std::unique_ptr<Detector> EstimatedFreshness::clone() const {
  return std::make_unique<EstimatedFreshness>(*this);
}

}  // namespace hpclab::heartbeat
