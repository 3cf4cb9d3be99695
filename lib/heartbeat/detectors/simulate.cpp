// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "core/statistics.hpp"
#include "formats/line_reader.hpp"
#include "heartbeat/detector/presets.hpp"
#include "heartbeat/detectors/parameters.hpp"
#include "heartbeat/logs/arrivals.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::heartbeat::detectors {
namespace {

// Exponential with that mean; 0 for mean 0.
double exponential(RandomStream& random, double mean) {
  return -mean * std::log(1 - random.uniform());
}

std::vector<Sent> generated(const Parameters& p, const Context& context) {
  const PauseLawPtr law = pauses_of(p).first;
  RandomStream pauses = context.random("pauses");
  RandomStream delays = context.random("delays");
  RandomStream losses = context.random("losses");
  const Nanoseconds period = to_ns(p.period_s);
  const auto next_pause = [&](Nanoseconds after) {
    return p.pause_rate_per_s > 0 ? later(after, to_ns(exponential(pauses, 1 / p.pause_rate_per_s)))
                                  : never;
  };
  std::vector<Sent> all;
  all.reserve(static_cast<std::size_t>(p.beats));
  Nanoseconds pause_begin = next_pause(0);
  Nanoseconds last_sent = -1;
  for (std::int64_t i = 0; i < p.beats; ++i) {
    const Nanoseconds due = i * period;
    Nanoseconds sent = due;
    std::int64_t sequence = i;
    // Heartbeats that fall due during a pause come as one, at the resume or at the next whole
    // period; a further pause may begin before that.
    while (pause_begin <= sent) {
      const Nanoseconds resume = later(pause_begin, to_ns(law->sample(pauses)));
      pause_begin = next_pause(resume);
      if (resume <= sent) continue;
      if (resume > never / 4) throw CaseFailed("a pause is longer than the run can hold");
      const Nanoseconds whole = p.sender == Sender::catch_up ? 0 : period - 1;
      sequence = (resume + whole) / period;
      sent = p.sender == Sender::catch_up ? resume : sequence * period;
    }
    i = sequence;
    if (sent <= last_sent) sent = last_sent + 1;
    last_sent = sent;
    if (p.loss_ratio > 0 && losses.uniform() < p.loss_ratio) continue;
    const Nanoseconds delay = to_ns(exponential(delays, p.delay_mean_s));
    all.push_back({later(sent, delay), sent, sequence});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Sent& a, const Sent& b) { return a.received < b.received; });
  return all;
}

std::vector<Sent> recorded(const Parameters& p) {
  if (p.arrivals.empty()) throw UsageError("arrivals_from=file needs the file: arrivals=F");
  formats::LineReader lines(p.arrivals);
  std::vector<Sent> all;
  const std::vector<logs::Arrival> read = logs::read_arrivals(lines);
  for (const logs::Arrival& arrival : read) {
    const Nanoseconds at = to_ns(arrival.time_s - read.front().time_s);
    all.push_back({at, at, arrival.sequence - read.front().sequence});
  }
  return all;
}

void set_recurrence(const Quality& quality, Result& result) {
  const auto n = static_cast<double>(quality.mistakes);
  if (quality.mistakes < 2) {
    result.add_note(fmt::format("{} in {:.4g} s: the recurrence is not known",
                                quality.mistakes == 0 ? "no mistake" : "one mistake",
                                quality.watched_s));
    return;
  }
  const double mean = quality.watched_s / n;
  // Gaps between mistakes are nearly independent: the standard error of their mean.
  double squares = 0;
  for (std::size_t i = 1; i < quality.starts_s.size(); ++i) {
    const double gap = quality.starts_s[i] - quality.starts_s[i - 1] - mean;
    squares += gap * gap;
  }
  const auto counted = static_cast<double>(quality.starts_s.size() - 1);
  const double error = 1.96 * std::sqrt(squares / counted / n);
  result.set_value("mistake_recurrence_s", mean, std::max(mean - error, 0.0), mean + error);
}

void set_durations(const Quality& quality, Result& result) {
  if (quality.durations_s.empty()) return;
  const auto n = static_cast<double>(quality.durations_s.size());
  double mean = 0;
  double squares = 0;
  for (const double d : quality.durations_s) mean += d / n;
  for (const double d : quality.durations_s) squares += (d - mean) * (d - mean) / n;
  const double error = 1.96 * std::sqrt(squares / n);
  result.set_value("mistake_duration_s", mean, std::max(mean - error, 0.0), mean + error);
}

}  // namespace

std::vector<Sent> arrivals_of(const Parameters& p, const Context& context) {
  return p.arrivals_from == Origin::file ? recorded(p) : generated(p, context);
}

Result simulate(const Parameters& p, Context& context) {
  const std::vector<Sent> arrivals = arrivals_of(p, context);
  if (arrivals.size() < 3) throw CaseFailed("fewer than three heartbeats arrive");
  DetectorSetting setting;
  setting.period = to_ns(p.period_s);
  setting.timeout = to_ns(p.timeout_s);
  setting.failure_rate_per_s = p.failure_rate_per_s;
  setting.rebuild_s = p.rebuild_s;
  setting.members = p.members;
  const auto detector = make_detector(p.detector, setting);
  const auto warm_up =
      static_cast<std::size_t>(p.warm_up_ratio * static_cast<double>(arrivals.size() - 2));
  const std::size_t crash_every = std::max<std::size_t>((arrivals.size() - warm_up) / 2000, 1);
  const RingCosts costs{p.failure_rate_per_s, p.rebuild_s, setting.period};
  const Quality quality = judge(*detector, arrivals, warm_up, crash_every, costs, context.stop);

  Result result;
  if (!quality.detection_s.empty()) {
    result.set_value("detection_s", median(quality.detection_s));
    result.set_value("detection_p95_s", quantile(quality.detection_s, 0.95));
    result.set_value("detection_max_s",
                     *std::max_element(quality.detection_s.begin(), quality.detection_s.end()));
  }
  result.set_value("mistakes_count", static_cast<double>(quality.mistakes));
  set_recurrence(quality, result);
  set_durations(quality, result);
  if (quality.watched_s > 0) {
    result.set_value("query_accuracy_ratio", 1 - quality.wrong_s / quality.watched_s);
  }
  result.set_value("cost_ratio", quality.cost_ratio);
  if (quality.best_cost_ratio > 0) {
    result.set_value("regret_ratio", quality.cost_ratio / quality.best_cost_ratio - 1);
    result.set_value("best_timeout_s", quality.best_timeout_s);
  }
  result.set_value("beats_count", static_cast<double>(arrivals.size()));
  return result;
}

Result model(const Parameters& p, Context&) {
  Result result;
  if (p.arrivals_from == Origin::file) throw CaseSkipped("a log is replayed: method simulate");
  if (p.detector == "nfd-s") {
    if (p.pause_rate_per_s > 0) {
      throw CaseFailed("Chen's closed form knows losses and delays, no pauses: pause_rate_per_s=0");
    }
    if (p.timeout_s < p.period_s || !(p.delay_mean_s > 0)) {
      throw CaseFailed("Chen's closed form needs a timeout above the period, and delays");
    }
    const NfdQuality quality =
        nfd_s_quality(p.period_s, p.timeout_s - p.period_s, p.loss_ratio, p.delay_mean_s);
    result.set_value("mistake_recurrence_s", quality.mistake_recurrence_s);
    result.set_value("mistake_duration_s", quality.mistake_duration_s);
    result.set_value("query_accuracy_ratio", quality.query_accuracy_ratio);
    result.set_value("detection_max_s", p.timeout_s);
    return result;
  }
  if (p.detector != "fixed") {
    throw CaseSkipped("there is a closed form for the detectors nfd-s and fixed only");
  }
  if (p.loss_ratio > 0) throw CaseFailed("the closed form of a fixed timeout knows no losses");
  if (p.timeout_s < p.period_s) throw CaseFailed("the timeout is below the period");
  TimeoutProblem problem;
  problem.ranks = 1;
  problem.failure_rate_per_s = p.failure_rate_per_s;
  problem.pause_rate_per_s = p.pause_rate_per_s;
  problem.period_s = p.period_s;
  problem.ejection_rebuild_s = p.rebuild_s;
  problem.sender = p.sender;
  problem.pauses = pauses_of(p).first;
  const TimeoutCost cost = cost_of(problem, p.timeout_s);
  if (cost.false_ejections_per_s > 0) {
    // Pauses come at that rate while the sender runs.
    const double running = 1 / (1 + p.pause_rate_per_s * problem.pauses->mean());
    result.set_value("mistake_recurrence_s", 1 / (cost.false_ejections_per_s * running));
  }
  result.set_value("detection_s", p.timeout_s - 0.5 * p.period_s + p.delay_mean_s);
  result.set_value("detection_max_s", p.timeout_s);
  result.add_note("delays enter by their mean alone");
  return result;
}

}  // namespace hpclab::heartbeat::detectors
