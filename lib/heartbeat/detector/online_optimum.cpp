// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/detector/online_optimum.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace hpclab::heartbeat {

double ParetoTail::survival(double excess) const {
  if (excess <= 0) return 1;
  if (std::abs(shape) < 1e-9) return std::exp(-excess / scale);
  const double base = 1 + shape * excess / scale;
  return base <= 0 ? 0 : std::pow(base, -1 / shape);
}

double ParetoTail::limited_mean(double excess) const {
  if (std::abs(shape) < 1e-9) return -scale * std::expm1(-excess / scale);
  if (std::abs(shape - 1) < 1e-9) return scale * std::log1p(excess / scale);
  const double base = std::max(1 + shape * excess / scale, 0.0);
  return scale / (1 - shape) * (1 - std::pow(base, 1 - 1 / shape));
}

ParetoTail fit_pareto_tail(const std::vector<double>& excesses) {
  const auto n = static_cast<double>(excesses.size());
  double mean = 0;
  double weighted = 0;  // estimates E[X S(X)]
  for (std::size_t i = 0; i < excesses.size(); ++i) {
    mean += excesses[i] / n;
    weighted += excesses[i] * (n - 1 - static_cast<double>(i)) / (n * (n - 1));
  }
  const double spread = mean - 2 * weighted;
  ParetoTail tail;
  if (!(spread > 0) || !(mean > 0)) {
    tail.scale = std::max(mean, 1e-12);
    return tail;
  }
  tail.shape = std::clamp(2 - mean / spread, -0.5, 0.95);
  // With the shape limited, the mean is what the fit keeps.
  tail.scale = mean * (1 - tail.shape);
  return tail;
}

OnlineOptimum::OnlineOptimum(const OnlineOptimumOptions& options, Nanoseconds start)
    : options_(options), last_(start), timeout_(options.initial) {
  if (options.initial <= 0 || options.kept < 16 || !(options.failure_rate_per_s >= 0) ||
      !(options.rebuild_s >= 0)) {
    throw std::invalid_argument(
        "the initial timeout is positive, rates and costs are not negative, 16 gaps are kept");
  }
}

void OnlineOptimum::on_heartbeat(const Heartbeat& beat) {
  const Nanoseconds at = std::max(last_, beat.received);
  if (started_) {
    const Nanoseconds gap = at - last_;
    watched_ = later(watched_, gap);
    if (gap > options_.period + options_.period / 2) remember(to_s(gap));
  }
  started_ = true;
  last_ = at;
}

void OnlineOptimum::remember(double gap_s) {
  ++irregular_;
  ++since_scan_;
  if (largest_.size() < options_.kept) {
    largest_.push_back(gap_s);
    std::push_heap(largest_.begin(), largest_.end(), std::greater<>());
  } else if (gap_s > largest_.front()) {
    std::pop_heap(largest_.begin(), largest_.end(), std::greater<>());
    largest_.back() = gap_s;
    std::push_heap(largest_.begin(), largest_.end(), std::greater<>());
  }
  const std::size_t due = std::max(options_.recompute, irregular_ / 50);
  if (irregular_ == options_.warm_up || (irregular_ > options_.warm_up && since_scan_ >= due)) {
    rescan();
  }
}

void OnlineOptimum::rescan() {
  since_scan_ = 0;
  std::vector<double> gaps = largest_;
  std::sort(gaps.begin(), gaps.end());
  const auto wanted =
      static_cast<std::size_t>(options_.tail_share * static_cast<double>(irregular_));
  const std::size_t in_tail = std::min(std::max<std::size_t>(wanted, 30), gaps.size() / 2);
  const std::size_t first = gaps.size() - in_tail;
  const double threshold = gaps[first - 1];
  std::vector<double> excesses;
  for (std::size_t i = first; i < gaps.size(); ++i) excesses.push_back(gaps[i] - threshold);
  const ParetoTail tail = fit_pareto_tail(excesses);

  const double seconds = std::max(to_s(watched_), 1e-9);
  const double per_timeout = options_.failure_rate_per_s * seconds;
  double best_cost = -1;
  double best = gaps.back();
  const auto consider = [&](double tau, double cost) {
    if (best_cost >= 0 && cost >= best_cost) return;
    best_cost = cost;
    best = tau;
  };
  // Breakpoints up to the threshold, exactly; the gaps that were not kept are shorter than all of
  // these and cost the same at each.
  double waited = 0;
  for (std::size_t i = 0; i < first; ++i) {
    waited += gaps[i];
    const auto beyond = static_cast<double>(gaps.size() - 1 - i);
    consider(gaps[i], per_timeout * gaps[i] + waited + beyond * (gaps[i] + options_.rebuild_s));
  }
  // Beyond it by the fitted tail, in steps of 1 %.
  const double start = waited + static_cast<double>(in_tail) * threshold;
  const double end = std::max(gaps.back(), threshold) * 1000;
  for (double tau = threshold * 1.01; tau < end; tau *= 1.01) {
    const double excess = tau - threshold;
    consider(tau, per_timeout * tau + start +
                      static_cast<double>(in_tail) *
                          (tail.limited_mean(excess) + options_.rebuild_s * tail.survival(excess)));
  }
  const Nanoseconds shortest = options_.period + options_.period / 2 + 1;
  timeout_ = std::max(to_ns(best) + 1, shortest);
}

Verdict OnlineOptimum::on_tick(Nanoseconds now) {
  return now >= next_deadline() ? Verdict::failed : Verdict::trusted;
}

Nanoseconds OnlineOptimum::next_deadline() const {
  return later(last_, timeout_);
}

std::unique_ptr<Detector> OnlineOptimum::clone() const {
  return std::make_unique<OnlineOptimum>(*this);
}

}  // namespace hpclab::heartbeat
