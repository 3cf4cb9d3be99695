// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/detectors/quality.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/quadrature/gauss_kronrod.hpp>

namespace hpclab::heartbeat::detectors {
namespace {

constexpr std::size_t most_kept = 10'000;

// The fixed timeout that would have cost least on the silences, known beforehand.
void find_best(Quality& quality, std::vector<double> gaps, const RingCosts& costs) {
  std::sort(gaps.begin(), gaps.end());
  const double per_timeout = costs.failure_rate_per_s * quality.watched_s;
  const double half = 0.5 * to_s(costs.period);
  double waited = 0;
  // Just beyond the regular gaps every silence is cut short.
  double best = 1.5 * to_s(costs.period);
  double best_cost =
      per_timeout * (best - half) + static_cast<double>(gaps.size()) * (best + costs.rebuild_s);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    waited += gaps[i];
    const double cost = per_timeout * (gaps[i] - half) + waited +
                        static_cast<double>(gaps.size() - 1 - i) * (gaps[i] + costs.rebuild_s);
    if (cost < best_cost) {
      best_cost = cost;
      best = gaps[i];
    }
  }
  quality.best_timeout_s = best;
  quality.best_cost_ratio = quality.watched_s > 0 ? best_cost / quality.watched_s : 0;
}

// Moves a detector through time and keeps the account of its mistakes.
class Watch {
 public:
  Watch(Detector& detector, Quality& quality) : detector_(detector), quality_(quality) {}

  /// Up to `until`, exclusive: the arrival at that moment comes first.
  void advance(Nanoseconds until) {
    while (true) {
      const Nanoseconds deadline = std::max(detector_.next_deadline(), now_);
      if (deadline >= until) break;
      now_ = deadline;
      look();
      if (detector_.next_deadline() <= now_) break;  // nothing more follows without a heartbeat
    }
    now_ = std::max(now_, until);
  }

  void heartbeat(const Heartbeat& beat) {
    detector_.on_heartbeat(beat);
    look();
  }

  void start_judging() {
    judging_ = true;
    if (wrong_) began_ = now_;
  }
  void finish() {
    if (wrong_ && judging_) quality_.wrong_s += to_s(now_ - began_);
  }

 private:
  void look() {
    const bool wrong = detector_.on_tick(now_) == Verdict::failed;
    if (wrong == wrong_) return;
    wrong_ = wrong;
    if (wrong) {
      began_ = now_;
      if (!judging_) return;
      ++quality_.mistakes;
      if (quality_.starts_s.size() < most_kept) quality_.starts_s.push_back(to_s(now_));
    } else if (judging_) {
      const double duration = to_s(now_ - began_);
      quality_.wrong_s += duration;
      if (quality_.durations_s.size() < most_kept) quality_.durations_s.push_back(duration);
    }
  }

  Detector& detector_;
  Quality& quality_;
  Nanoseconds now_ = 0;
  Nanoseconds began_ = 0;
  bool wrong_ = false;
  bool judging_ = false;
};

}  // namespace

Quality judge(const Detector& fresh, const std::vector<Sent>& arrivals, std::size_t warm_up,
              std::size_t crash_every, const RingCosts& costs, const StopToken& stop) {
  Quality quality;
  const auto detector = fresh.clone();
  Watch watch(*detector, quality);
  std::vector<double> gaps;
  const Nanoseconds silent = costs.period + costs.period / 2;
  Nanoseconds waits = 0;  // what the detector would wait after the last heartbeat
  std::size_t crashes = 0;
  std::int64_t latest = -1;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (i % 4096 == 0) stop.throw_if_requested();
    const Sent& beat = arrivals[i];
    watch.advance(beat.received);
    if (i == warm_up) watch.start_judging();
    if (i > warm_up) {
      const Nanoseconds gap = beat.received - arrivals[i - 1].received;
      if (gap > silent) {
        gaps.push_back(to_s(gap));
        quality.silence_cost_s +=
            gap > waits ? to_s(std::max<Nanoseconds>(waits, 0)) + costs.rebuild_s : to_s(gap);
      }
    }
    watch.heartbeat({beat.received, beat.sequence});
    const Nanoseconds deadline = detector->failure_deadline();
    waits = deadline == never ? never : deadline - beat.received;
    // Only after the newest heartbeat: a crash before one that was already received is none.
    const bool newest = beat.sequence > latest;
    latest = std::max(latest, beat.sequence);
    if (newest && i >= warm_up && crash_every > 0 && i % crash_every == 0 && deadline != never) {
      // Fractions of the golden ratio spread the moments evenly over the interval.
      const double phase = std::fmod(0.6180339887498949 * static_cast<double>(++crashes), 1.0);
      const Nanoseconds crash =
          beat.sent + static_cast<Nanoseconds>(phase * static_cast<double>(costs.period));
      quality.detection_s.push_back(to_s(std::max<Nanoseconds>(deadline - crash, 0)));
    }
  }
  watch.finish();
  if (arrivals.size() > warm_up) {
    quality.watched_s = to_s(arrivals.back().received - arrivals[warm_up].received);
  }
  find_best(quality, std::move(gaps), costs);
  double detection = 0;
  for (const double time : quality.detection_s) {
    detection += time / static_cast<double>(quality.detection_s.size());
  }
  if (quality.watched_s > 0) {
    quality.cost_ratio =
        quality.silence_cost_s / quality.watched_s + costs.failure_rate_per_s * detection;
  }
  return quality;
}

NfdQuality nfd_s_quality(double eta, double delta, double loss, double delay_mean) {
  const auto late = [&](double x) { return x <= 0 ? 1.0 : std::exp(-x / delay_mean); };
  const int k = static_cast<int>(std::ceil(delta / eta));
  const auto suspected = [&](double x) {
    double product = 1;
    for (int j = 0; j <= k; ++j) product *= loss + (1 - loss) * late(delta + x - j * eta);
    return product;
  };
  const double in_time = (1 - loss) * (1 - late(delta + eta));
  const double per_period = in_time * suspected(0);
  // u(x) has a kink where the newest heartbeat that counts is sent.
  const double kink = std::clamp(k * eta - delta, 0.0, eta);
  const auto integral = [&](double a, double b) {
    return a < b ? boost::math::quadrature::gauss_kronrod<double, 61>::integrate(suspected, a, b,
                                                                                 12, 1e-12)
                 : 0.0;
  };
  const double wrong = integral(0, kink) + integral(kink, eta);
  return {eta / per_period, wrong / per_period, 1 - wrong / eta};
}

}  // namespace hpclab::heartbeat::detectors
