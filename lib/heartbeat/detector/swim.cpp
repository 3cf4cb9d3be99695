// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/detector/swim.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace hpclab::heartbeat {
namespace {

constexpr Nanoseconds millisecond = 1'000'000;
constexpr Nanoseconds second = 1000 * millisecond;

double log10_scale(const SwimOptions& options) {
  return std::max(1.0, std::log10(std::max(1.0, static_cast<double>(options.members))));
}

}  // namespace

SwimOptions swim_lan() {
  return {};
}

SwimOptions swim_wan() {
  SwimOptions options;
  options.probe_interval = 5 * second;
  options.probe_timeout = 3 * second;
  options.suspicion_factor = 6;
  return options;
}

SwimOptions swim_local() {
  SwimOptions options;
  options.probe_timeout = 200 * millisecond;
  options.indirect_checks = 1;
  options.suspicion_factor = 3;
  options.retransmit_factor = 2;
  return options;
}

Nanoseconds minimum_suspicion(const SwimOptions& options) {
  // memberlist multiplies in whole thousandths of the scale.
  const double scale = std::floor(log10_scale(options) * 1000);
  const double ns = options.suspicion_factor * scale * static_cast<double>(options.probe_interval);
  return to_ns(ns / 1000 * 1e-9) / millisecond * millisecond;
}

Nanoseconds maximum_suspicion(const SwimOptions& options) {
  return options.suspicion_maximum_factor * minimum_suspicion(options);
}

int expected_confirmations(const SwimOptions& options) {
  const int wanted = options.suspicion_factor - 2;
  return wanted < 1 || options.members - 2 < wanted ? 0 : wanted;
}

int retransmissions(const SwimOptions& options) {
  return options.retransmit_factor *
         static_cast<int>(std::ceil(std::log10(static_cast<double>(options.members + 1))));
}

double expected_first_detection_periods(std::int64_t members) {
  if (members < 2) throw std::invalid_argument("somebody else has to be there to detect it");
  const double others = static_cast<double>(members - 1);
  return members == 2 ? 1 : -1 / std::expm1(others * std::log1p(-1 / others));
}

Nanoseconds LocalHealth::scaled(Nanoseconds time) const {
  return time * (score_ + 1);
}

void LocalHealth::add(int delta) {
  score_ = std::clamp(score_ + delta, 0, limit_ - 1);
}

Suspicion::Suspicion(const SwimOptions& options, Nanoseconds start, std::string accuser)
    : start_(start),
      minimum_(minimum_suspicion(options)),
      maximum_(maximum_suspicion(options)),
      needed_(expected_confirmations(options)) {
  accusers_.insert(std::move(accuser));
}

bool Suspicion::confirm(const std::string& accuser) {
  return confirmations() < needed_ && accusers_.insert(accuser).second;
}

Nanoseconds Suspicion::deadline() const {
  if (needed_ == 0) return later(start_, minimum_);
  const double share = std::log(confirmations() + 1.0) / std::log(needed_ + 1.0);
  const double wait = to_s(maximum_) - share * to_s(maximum_ - minimum_);
  const Nanoseconds floored = to_ns(std::floor(wait * 1000) / 1000);
  return later(start_, std::max(floored, minimum_));
}

SwimDetector::SwimDetector(const SwimOptions& options, Nanoseconds start)
    : options_(options), health_(options.awareness_limit), last_(start) {
  if (options.probe_interval <= 0 || options.probe_timeout <= 0 || options.members < 1) {
    throw std::invalid_argument("probe interval, probe timeout and members are positive");
  }
}

Nanoseconds SwimDetector::suspicion_start() const {
  // The answer to the probe of the next interval is awaited for the rest of that interval, while
  // helpers probe indirectly: memberlist's probe ends with its interval.
  return later(last_, 2 * health_.scaled(options_.probe_interval));
}

void SwimDetector::on_heartbeat(const Heartbeat& beat) {
  last_ = std::max(last_, beat.received);
  health_.probe_succeeded();
  suspicion_.reset();
}

Verdict SwimDetector::on_tick(Nanoseconds now) {
  if (!suspicion_ && now >= suspicion_start()) {
    suspicion_ = std::make_unique<Suspicion>(options_, suspicion_start(), "self");
  }
  if (!suspicion_) return Verdict::trusted;
  return now >= suspicion_->deadline() ? Verdict::failed : Verdict::suspected;
}

Nanoseconds SwimDetector::next_deadline() const {
  return suspicion_ ? suspicion_->deadline() : suspicion_start();
}

Nanoseconds SwimDetector::failure_deadline() const {
  return suspicion_ ? suspicion_->deadline()
                    : Suspicion(options_, suspicion_start(), "self").deadline();
}

std::unique_ptr<Detector> SwimDetector::clone() const {
  auto copy = std::make_unique<SwimDetector>(options_, last_);
  copy->health_ = health_;
  if (suspicion_) copy->suspicion_ = std::make_unique<Suspicion>(*suspicion_);
  return copy;
}

void SwimDetector::on_confirmation(const std::string& accuser) {
  if (suspicion_) suspicion_->confirm(accuser);
}

}  // namespace hpclab::heartbeat
