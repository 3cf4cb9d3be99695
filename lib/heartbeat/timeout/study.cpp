// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "heartbeat/timeout/parameters.hpp"

#include <fmt/format.h>

namespace hpclab::heartbeat::timeout {
namespace {

Json default_runs() {
  return Json::array({{{"parameters", {{"pause", {"exponential", "bimodal"}}}}}});
}

}  // namespace

std::vector<std::string> conclude(const RunSummary& summary) {
  std::vector<std::string> lines;
  int shown = 0;
  for (const Json& record : summary.records) {
    if (record["status"] != "ok" || !record.contains("tables") || ++shown > 4) continue;
    const auto presets = record["tables"].find("presets");
    if (presets == record["tables"].end()) continue;
    lines.push_back(fmt::format("pauses: {}", record["text"].value("pauses", "")));
    lines.push_back(fmt::format("  {:<17} {:>10}  {:>16}  {:>22}  {:>16}  {:>8}", "preset",
                                "timeout", "stall a failure", "false ejections/month",
                                "GPU-hours/month", "regret"));
    for (const Json& row : (*presets)["rows"]) {
      lines.push_back(
          fmt::format("  {:<17} {:>8.4g} s  {:>14.4g} s  {:>22.3g}  {:>16.4g}  {:>7.3g}x",
                      row[0].get<std::string>(), row[1].get<double>(), row[2].get<double>(),
                      row[3].get<double>(), row[4].get<double>(), 1 + row[5].get<double>()));
    }
  }
  return lines;
}

Study study() {
  return StudyDefinition<Parameters>(
             "heartbeat", "timeout",
             "What timeout should a synchronous ring have, and what does a shipped default cost?",
             parameter_table())
      .value({"cost_ratio",
              "stall for each second of useful work, at timeout_s or the best timeout",
              Better::lower, true})
      .value({"optimal_timeout_s", "timeout of least cost", Better::neither, true})
      .value({"regret_ratio", "cost of timeout_s over the least one, less 1", Better::lower, true})
      .value({"goodput_ratio", "share of the time that is useful work", Better::higher, true})
      .value({"gpu_hours_per_month", "ranks times stalled hours of a month", Better::lower, true})
      .value({"avoidable_gpu_hours_per_month",
              "of these, waiting for failures to be detected and false ejections", Better::lower,
              false})
      .value({"false_ejections_per_month", "healthy ranks that are ejected", Better::lower, true})
      .value({"flat_low_s", "shortest timeout that costs at most 5 % more", Better::neither, false})
      .value({"flat_high_s", "longest such timeout", Better::neither, false})
      .value({"floor_ratio", "stall by pauses that no timeout avoids", Better::lower, false})
      .value({"detection_ratio", "stall until failures are detected", Better::lower, false})
      .value({"false_ejection_ratio", "stall by false ejections", Better::lower, false})
      .value({"rebuild_ratio", "stall by rebuilding after failures", Better::lower, false})
      .value({"minima_count", "local minima of the cost", Better::neither, false})
      .value({"pauses_count", "pauses in the log", Better::neither, false})
      .value({"rank_failure_rate_per_s", "failures of one rank a second", Better::lower, false})
      .value({"failures_count", "failures in the log", Better::neither, false})
      .value({"failures_per_1000_node_days", "failures of a node by the log", Better::lower, false})
      .value({"down_ratio", "share of node time that was down", Better::lower, false})
      .value({"failure_gap_mean_s", "mean time between failures of the machine", Better::higher,
              false})
      .value(
          {"zero_gap_ratio", "failures at the same time as the one before", Better::neither, false})
      .value(
          {"gap_variation_ratio", "deviation of the gaps over their mean", Better::neither, false})
      .value({"weibull_shape", "shape of the gaps above 0, by maximum likelihood", Better::neither,
              false})
      .value({"weibull_scale_s", "scale of that fit", Better::neither, false})
      .value({"repair_mean_s", "mean time down", Better::lower, false})
      .value({"repair_median_s", "median time down", Better::lower, false})
      .plot({"timeout-curve", "timeout_s", "cost_ratio", {"pause"}, true, true})
      .default_experiments(default_runs())
      .model(model)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::heartbeat::timeout
