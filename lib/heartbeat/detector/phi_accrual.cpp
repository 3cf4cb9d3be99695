// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/detector/phi_accrual.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace hpclab::heartbeat {
namespace {

// The cubic of the logistic approximation to the normal distribution, with Akka's coefficients.
double logistic_exponent(double y) {
  return y * (1.5976 + 0.070566 * y * y);
}

double log_exact_tail(double y) {
  const double scaled = y / std::numbers::sqrt2;
  if (y < 30) return std::log(0.5 * std::erfc(scaled));
  // erfc underflows past 38: its asymptotic series, relative error below 15 / y^6.
  const double inverse = 1 / (y * y);
  return -0.5 * y * y - std::log(y * std::sqrt(2 * std::numbers::pi)) +
         std::log1p(-inverse * (1 - 3 * inverse));
}

Nanoseconds ceil_ns(double ns) {
  return ns < 9.2e18 ? static_cast<Nanoseconds>(std::ceil(ns)) : never;
}

}  // namespace

GapWindow::GapWindow(std::size_t capacity) : capacity_(capacity) {
  if (capacity == 0) throw std::invalid_argument("a window of gaps holds at least one");
}

void GapWindow::add(Nanoseconds gap) {
  const auto square = [](Nanoseconds x) { return static_cast<__int128>(x) * x; };
  if (gaps_.size() < capacity_) {
    gaps_.push_back(gap);
  } else {
    Nanoseconds& slot = gaps_[oldest_];
    oldest_ = (oldest_ + 1) % capacity_;
    sum_ -= slot;
    square_sum_ -= square(slot);
    slot = gap;
  }
  sum_ += gap;
  square_sum_ += square(gap);
}

double GapWindow::mean_ns() const {
  return static_cast<double>(sum_) / static_cast<double>(gaps_.size());
}

double GapWindow::deviation_ns() const {
  // n sum x^2 - (sum x)^2 in integers: no cancellation. Gaps stay below 2^56 ns (2 years) here.
  const auto n = static_cast<__int128>(gaps_.size());
  const double scaled = static_cast<double>(n * square_sum_ - sum_ * sum_);
  return std::sqrt(std::max(scaled, 0.0)) / static_cast<double>(gaps_.size());
}

double normal_phi(double y, NormalTail tail) {
  if (tail == NormalTail::exact) return -log_exact_tail(y) / std::numbers::ln10;
  // -log10(e / (1 + e)) with e = exp(-x), in the form that does not overflow.
  const double x = logistic_exponent(y);
  const double log_tail = x > 0 ? -x - std::log1p(std::exp(-x)) : -std::log1p(std::exp(x));
  return -log_tail / std::numbers::ln10;
}

double normal_phi_quantile(double threshold, NormalTail tail) {
  // phi rises with y; from -40 on it is 0 to double precision.
  double low = -40;
  double high = 1;
  while (normal_phi(high, tail) < threshold) high *= 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (normal_phi(middle, tail) < threshold ? low : high) = middle;
  }
  return high;
}

PhiAccrual::PhiAccrual(const PhiOptions& options) : options_(options), window_(options.window) {
  if (!(options.threshold > 0) || options.first_estimate <= 0 || options.minimum_deviation <= 0 ||
      options.acceptable_pause < 0) {
    throw std::invalid_argument(
        "threshold, minimum deviation and first estimate are positive, the pause not negative");
  }
  threshold_deviations_ = normal_phi_quantile(options.threshold, options.tail);
}

double PhiAccrual::deviation_ns() const {
  return std::max(window_.deviation_ns(), static_cast<double>(options_.minimum_deviation));
}

void PhiAccrual::on_heartbeat(const Heartbeat& beat) {
  const Nanoseconds at = started_ ? std::max(last_, beat.received) : beat.received;
  if (!started_) {
    window_.add(options_.first_estimate - options_.first_estimate / 4);
    window_.add(options_.first_estimate + options_.first_estimate / 4);
  } else if (at < deadline_) {
    window_.add(at - last_);
  }
  started_ = true;
  last_ = at;
  const double wait = window_.mean_ns() + static_cast<double>(options_.acceptable_pause) +
                      threshold_deviations_ * deviation_ns();
  deadline_ = later(last_, std::max<Nanoseconds>(ceil_ns(wait), 1));
}

Verdict PhiAccrual::on_tick(Nanoseconds now) {
  return now >= deadline_ ? Verdict::failed : Verdict::trusted;
}

double PhiAccrual::phi(Nanoseconds now) const {
  if (!started_) return 0;
  const double mean = window_.mean_ns() + static_cast<double>(options_.acceptable_pause);
  return normal_phi((static_cast<double>(now - last_) - mean) / deviation_ns(), options_.tail);
}

std::unique_ptr<Detector> PhiAccrual::clone() const {
  return std::make_unique<PhiAccrual>(*this);
}

CassandraAccrual::CassandraAccrual(const CassandraOptions& options)
    : options_(options), window_(options.window) {
  if (!(options.threshold > 0) || options.initial_gap <= 0 || options.largest_gap <= 0) {
    throw std::invalid_argument("threshold and gaps are positive");
  }
}

void CassandraAccrual::on_heartbeat(const Heartbeat& beat) {
  const Nanoseconds at = started_ ? std::max(last_, beat.received) : beat.received;
  if (!started_) {
    window_.add(options_.initial_gap);
  } else if (at - last_ <= options_.largest_gap) {
    window_.add(at - last_);
  }
  started_ = true;
  last_ = at;
  const double wait = options_.threshold * std::numbers::ln10 * window_.mean_ns();
  deadline_ = later(last_, std::max<Nanoseconds>(ceil_ns(wait), 1));
}

Verdict CassandraAccrual::on_tick(Nanoseconds now) {
  return now >= deadline_ ? Verdict::failed : Verdict::trusted;
}

std::unique_ptr<Detector> CassandraAccrual::clone() const {
  return std::make_unique<CassandraAccrual>(*this);
}

LocalPauseGuard::LocalPauseGuard(std::unique_ptr<Detector> guarded, Nanoseconds tick,
                                 Nanoseconds limit)
    : guarded_(std::move(guarded)), tick_(tick), limit_(limit) {
  if (tick <= 0 || limit <= tick) {
    throw std::invalid_argument("the limit of a local pause is longer than a tick");
  }
}

Verdict LocalPauseGuard::on_tick(Nanoseconds now) {
  if (last_tick_ >= 0 && now - last_tick_ > limit_) suppressed_until_ = later(now, limit_);
  last_tick_ = std::max(last_tick_, now);
  const Verdict verdict = guarded_->on_tick(now);
  return now < suppressed_until_ ? Verdict::trusted : verdict;
}

Nanoseconds LocalPauseGuard::next_deadline() const {
  const Nanoseconds tick = last_tick_ < 0 ? 0 : later(last_tick_, tick_);
  return std::min(tick, std::max(guarded_->next_deadline(), suppressed_until_));
}

std::unique_ptr<Detector> LocalPauseGuard::clone() const {
  auto copy = std::make_unique<LocalPauseGuard>(guarded_->clone(), tick_, limit_);
  copy->last_tick_ = last_tick_;
  copy->suppressed_until_ = suppressed_until_;
  return copy;
}

}  // namespace hpclab::heartbeat
