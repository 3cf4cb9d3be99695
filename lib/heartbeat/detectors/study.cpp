// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "heartbeat/detector/presets.hpp"
#include "heartbeat/detectors/parameters.hpp"

#include <fmt/format.h>

namespace hpclab::heartbeat::detectors {
namespace {

ParameterTable<Parameters> make_table() {
  using P = Parameters;
  ParameterTable<P> table;
  table.add(&P::detector, "detector", "failure detector, or a shipped default by name")
      .one_of(detector_names());
  table
      .add_choice(&P::arrivals_from, "arrivals_from",
                  {{"generated", Origin::generated}, {"file", Origin::file}},
                  "heartbeats with generated pauses, losses and delays, or those of `arrivals`")
      .as_inferred();
  table.add(&P::arrivals, "arrivals", "recorded arrivals: seconds, or seconds and sequence number")
      .when("arrivals_from", {"file"});
  table.add(&P::period_s, "period_s", "time between two heartbeats").between(1e-6, 1e6);
  table
      .add(
          &P::timeout_s, "timeout_s",
          "of detectors that have one: silence that fails a sender; margin of nfd-s, nfd-e and phi "
          "beyond the period")
      .between(1e-6, 1e7);
  const std::vector<std::string> generated{"generated"};
  table.add(&P::beats, "beats", "periods to generate")
      .between(10, 1e8)
      .when("arrivals_from", generated);
  table
      .add(&P::warm_up_ratio, "warm_up_ratio",
           "share of the arrivals that teach the detector and are not judged")
      .between(0, 0.95)
      .affects({Method::simulate});
  table.add(&P::loss_ratio, "loss_ratio", "share of heartbeats that are lost")
      .between(0, 0.99)
      .when("arrivals_from", generated);
  table.add(&P::delay_mean_s, "delay_mean_s", "mean delay of a heartbeat, exponential")
      .between(0, 1e4)
      .when("arrivals_from", generated);
  table
      .add_choice(&P::sender, "sender",
                  {{"catch-up", Sender::catch_up}, {"aligned", Sender::aligned}},
                  "after a pause the heartbeat is sent at once, or at the next multiple of the "
                  "period")
      .when("arrivals_from", generated);
  table.add(&P::rebuild_s, "rebuild_s", "stall of the ring after a false ejection").between(0, 1e7);
  table.add(&P::members, "members", "members of the group, for SWIM's timers").between(1, 1e7);
  add_pause_parameters(table);
  add_failure_parameters(table);
  return table;
}

Json default_runs() {
  return Json::array(
      {{{"parameters",
         {{"detector",
           {"fixed", "phi", "phi-exact", "cassandra-phi", "nfd-e", "swim", "largest-gap",
            "online-optimum", "akka", "cassandra", "memberlist-lan", "torchft", "c10d-heartbeat"}},
          {"pause", "bimodal"}}}}});
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

std::vector<std::string> conclude(const RunSummary& summary) {
  const Json* best = nullptr;
  for (const Json& record : summary.records) {
    if (record["status"] != "ok" || !record["values"].contains("regret_ratio")) continue;
    if (best == nullptr || record["values"]["regret_ratio"] < (*best)["values"]["regret_ratio"]) {
      best = &record;
    }
  }
  if (best == nullptr) return {};
  const Json& values = (*best)["values"];
  return {
      fmt::format("least cost: {}, {:.1f} % above the fixed timeout of {:.4g} s that knows all "
                  "silences beforehand",
                  (*best)["parameters"]["detector"].get<std::string>(),
                  100 * values["regret_ratio"].get<double>(), values.value("best_timeout_s", 0.0))};
}

Study study() {
  return StudyDefinition<Parameters>(
             "heartbeat", "detectors",
             "Which failure detector is better on these heartbeats: faster, righter, cheaper?",
             parameter_table())
      .value({"detection_s", "median time from a crash to the verdict", Better::lower, true})
      .value({"mistake_recurrence_s", "mean time between two wrong verdicts", Better::higher, true})
      .value({"mistake_duration_s", "mean time until a wrong verdict is taken back", Better::lower,
              true})
      .value({"query_accuracy_ratio", "share of the time that the sender is rightly trusted",
              Better::higher, true})
      .value(
          {"regret_ratio", "cost over that of the best fixed timeout, less 1", Better::lower, true})
      .value({"cost_ratio", "stall of a ring for each second: silences, rebuilds, detection",
              Better::lower, false})
      .value({"best_timeout_s", "fixed timeout that would have cost least", Better::neither, false})
      .value({"detection_p95_s", "95th percentile of the detection time", Better::lower, false})
      .value({"detection_max_s", "longest detection time", Better::lower, false})
      .value({"mistakes_count", "wrong verdicts", Better::lower, false})
      .value({"beats_count", "heartbeats that arrived", Better::neither, false})
      .plot({"lines", "detection_s", "mistake_recurrence_s", {"detector"}, true, true})
      .default_experiments(default_runs())
      .model(model)
      .simulate(simulate)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::heartbeat::detectors
