// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "heartbeat/checkpoint/parameters.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace hpclab::heartbeat::checkpoint {
namespace {

ParameterTable<Parameters> make_table() {
  using P = Parameters;
  ParameterTable<P> table;
  table.add<double>(&P::mtbf_s, "mtbf_s", "mean time between failures of the whole job")
      .between(1e-3, 1e12);
  table
      .add<double>(&P::checkpoint_s, "checkpoint_s",
                   "time that writing a checkpoint stops the work")
      .between(0, 1e9);
  table.add<double>(&P::restart_s, "restart_s", "time to restart from a checkpoint")
      .between(0, 1e9);
  table.add<double>(&P::detection_s, "detection_s", "time until a failure is noticed")
      .between(0, 1e9);
  table.add(&P::interval_s, "interval_s", "work between two checkpoints; 0: the best")
      .between(0, 1e12);
  table
      .add(&P::weibull_shape, "weibull_shape",
           "shape of the times between failures, 1: exponential; the closed form holds for that "
           "alone")
      .between(0.2, 10);
  table.add(&P::segments, "segments", "checkpoints to simulate")
      .between(100, 1e9)
      .affects({Method::simulate});
  return table;
}

double chosen_interval(const Parameters& p) {
  const double interval = p.interval_s > 0 ? p.interval_s : exact_interval_s(p);
  if (!(interval > 0)) {
    throw CaseFailed(
        "checkpoints that cost nothing are best written all the time: give interval_s");
  }
  return interval;
}

Table curve_of(const Parameters& p, double best) {
  Table table{{"interval_s", "efficiency"}, {"s", ""}, {}};
  for (int i = -40; i <= 40; ++i) {
    const double interval = best * std::pow(10.0, i / 20.0);
    const double value = efficiency(p, interval);
    if (std::isfinite(value)) table.rows.push_back({interval, value});
  }
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

Result model(const Parameters& p, Context&) {
  if (p.weibull_shape != 1) {
    throw CaseFailed(fmt::format(
        "the closed form holds for exponential times between failures, not for a Weibull shape of "
        "{:g}; method simulate answers it",
        p.weibull_shape));
  }
  const double interval = chosen_interval(p);
  const double value = efficiency(p, interval);
  if (!(value > 0)) {
    throw CaseFailed(fmt::format("segments of {:g} s hardly ever end between failures {:g} s apart",
                                 interval, p.mtbf_s));
  }
  Result result;
  result.set_value("optimal_interval_s", exact_interval_s(p));
  result.set_value("young_s", young_interval_s(p));
  result.set_value("daly_s", daly_interval_s(p));
  result.set_value("efficiency_ratio", value);
  result.set_value("overhead_ratio", 1 / value - 1);
  if (p.checkpoint_s > 0) {
    result.set_value("young_regret_ratio", value / efficiency(p, young_interval_s(p)) - 1);
    result.set_table("curve", curve_of(p, exact_interval_s(p)));
  }
  result.set_text("verdict",
                  fmt::format("a checkpoint each {:.4g} s of work; {:.3g} % of the time is work",
                              interval, 100 * value));
  if (p.checkpoint_s > 0.5 * p.mtbf_s) {
    result.add_note(
        "a checkpoint takes more than half the time between failures: make it shorter, "
        "no interval helps much");
  }
  return result;
}

Result simulate(const Parameters& p, Context& context) {
  RandomStream random = context.random("failures");
  const double interval = chosen_interval(p);
  const double scale = p.mtbf_s / std::tgamma(1 + 1 / p.weibull_shape);
  const auto draw = [&] {
    return scale * std::pow(-std::log(1 - random.uniform()), 1 / p.weibull_shape);
  };
  constexpr int batches = 50;
  const std::int64_t each = std::max<std::int64_t>(p.segments / batches, 1);
  double until_failure = draw();
  double mean = 0;
  double squares = 0;
  std::int64_t failures = 0;
  const std::int64_t most_failures = 1000 * p.segments;
  for (int batch = 0; batch < batches; ++batch) {
    double time = 0;
    for (std::int64_t i = 0; i < each; ++i) {
      double needed = interval + p.checkpoint_s;
      while (until_failure < needed) {
        if (++failures > most_failures) {
          throw CaseFailed("segments hardly ever end between two failures: shorten interval_s");
        }
        if (failures % 65536 == 0) context.stop.throw_if_requested();
        // Detection, in which nothing else fails; then the restart and the whole segment again.
        time += until_failure + p.detection_s;
        until_failure = draw();
        needed = p.restart_s + interval + p.checkpoint_s;
      }
      time += needed;
      until_failure -= needed;
    }
    const double value = static_cast<double>(each) * interval / time;
    mean += value / batches;
    squares += value * value / batches;
  }
  const double deviation = std::sqrt(std::max(squares - mean * mean, 0.0) / (batches - 1));
  Result result;
  result.set_value("efficiency_ratio", mean, mean - 1.96 * deviation, mean + 1.96 * deviation);
  result.set_value("overhead_ratio", 1 / mean - 1);
  result.set_value("failures_count", static_cast<double>(failures));
  result.set_value("interval_s", interval);
  return result;
}

Study study() {
  return StudyDefinition<Parameters>("heartbeat", "checkpoint",
                                     "How often should a job write a checkpoint, and what share of "
                                     "its time is then work?",
                                     parameter_table())
      .value({"efficiency_ratio", "work over time, at interval_s or the best interval",
              Better::higher, true})
      .value({"optimal_interval_s", "work between checkpoints that is best, exact", Better::neither,
              true})
      .value({"young_s", "Young's first-order interval", Better::neither, true})
      .value({"daly_s", "Daly's higher-order interval", Better::neither, true})
      .value({"interval_s", "interval that was simulated", Better::neither, false})
      .value({"overhead_ratio", "time beside the work for each second of it", Better::lower, false})
      .value({"young_regret_ratio", "efficiency lost by Young's interval", Better::lower, false})
      .value({"failures_count", "failures simulated", Better::neither, false})
      .plot({"lines", "mtbf_s", "efficiency_ratio", {"checkpoint_s"}, true, false})
      .default_experiments(Json::array({{{"parameters",
                                          {{"mtbf_s", {1000, 3000, 10000, 30000, 100000, 300000}},
                                           {"checkpoint_s", {10, 60, 300}}}}}}))
      .model(model)
      .simulate(simulate)
      .build();
}

}  // namespace hpclab::heartbeat::checkpoint
