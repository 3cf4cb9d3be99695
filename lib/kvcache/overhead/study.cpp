// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "core/context.hpp"
#include "kvcache/account_text.hpp"
#include "kvcache/overhead/fit.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache::overhead {
namespace {

struct Parameters {
  std::filesystem::path logs = "start-up-logs";
};

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = [] {
    ParameterTable<Parameters> made;
    made.add(&Parameters::logs, "logs",
             "figures of start-up logs: the shipped ones, or a file like them")
        .resolved_by([](const Json& value) -> Json {
          return value == "start-up-logs" ? Json(shipped_start_up_logs().string()) : value;
        });
    return made;
  }();
  return table;
}

double percentile(std::vector<double> errors, double share) {
  for (double& error : errors) error = std::abs(error);
  std::sort(errors.begin(), errors.end());
  const auto at =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(errors.size())) - 1);
  return errors.empty() ? 0 : errors[std::min(at, errors.size() - 1)];
}

Result model(const Parameters& p, Context&) {
  const std::vector<StartUpLog> logs = read_start_up_logs(p.logs);
  Result result;
  Table rows;
  rows.columns = {"log",         "source", "engine_version", "logged_bytes", "left_out_bytes",
                  "error_ratio", "use"};
  rows.units = {"", "", "", "B", "B", "ratio", ""};
  std::vector<double> errors;
  std::vector<double> newer;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const StartUpLog& log = logs[i];
    const double left_out = predicted_available(log, fit_constants(logs, i).constants);
    const double error = left_out / log.available - 1;
    errors.push_back(error);
    if (log.deployment.version >= vllm_counts_graphs) newer.push_back(error);
    rows.rows.push_back({log.id, log.source, log.deployment.version.text(), log.available, left_out,
                         error, log.in_fit ? "fit" : "score"});
  }
  const Fit all = fit_constants(logs, logs.size());
  Table constants;
  constants.columns = {"constant", "value", "logs", "smallest", "largest", "from"};
  constants.units = {"", "", "", "", "", ""};
  for (const Evidence& e : all.evidence) {
    std::string from;
    for (const std::string& id : e.ids) from += (from.empty() ? "" : ", ") + id;
    constants.rows.push_back({e.constant, e.median(), e.values.size(),
                              *std::min_element(e.values.begin(), e.values.end()),
                              *std::max_element(e.values.begin(), e.values.end()), from});
  }
  result.set_value("logs_count", static_cast<double>(logs.size()));
  result.set_value("newer_logs_count", static_cast<double>(newer.size()));
  result.set_value("median_error_ratio", percentile(errors, 0.5));
  result.set_value("p90_error_ratio", percentile(errors, 0.9));
  result.set_value("largest_error_ratio", percentile(errors, 1));
  if (!newer.empty()) result.set_value("newer_p90_error_ratio", percentile(newer, 0.9));
  result.set_table("logs", rows);
  result.set_table("constants", constants);
  return result;
}

std::vector<std::string> conclude(const RunSummary& summary) {
  std::vector<std::string> lines;
  for (const Json& record : summary.records) {
    if (record["status"] != "ok") continue;
    std::vector<std::vector<std::string>> rows{
        {"log", "vLLM", "logged GiB", "left out", "error", "source"}};
    for (const Json& row : record["tables"]["logs"]["rows"]) {
      rows.push_back({row[0].get<std::string>(), row[2].get<std::string>(),
                      gib_text(row[3].get<double>()), gib_text(row[4].get<double>()),
                      fmt::format("{:+.1f} %", 100 * row[5].get<double>()),
                      row[1].get<std::string>()});
    }
    for (std::string& line : aligned(rows, {false, false, true, true, true, false})) {
      lines.push_back(std::move(line));
    }
    lines.emplace_back();
    rows = {{"constant", "fit", "smallest", "largest", "logs"}};
    for (const Json& row : record["tables"]["constants"]["rows"]) {
      rows.push_back({row[0].get<std::string>(), fmt::format("{:.4g}", row[1].get<double>()),
                      fmt::format("{:.4g}", row[3].get<double>()),
                      fmt::format("{:.4g}", row[4].get<double>()), row[2].dump()});
    }
    for (std::string& line : aligned(rows, {false, true, true, true, true})) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace

Study study() {
  return StudyDefinition<Parameters>(
             "kvcache", "overhead",
             "How well is the memory beside weights and cache predicted for logs that had no part "
             "in the fit?",
             parameter_table())
      .value({"median_error_ratio",
              "median of the errors of the bytes for the cache, each log "
              "left out of its own fit",
              Better::lower, true})
      .value({"p90_error_ratio", "their 90th percentile", Better::lower, true})
      .value({"largest_error_ratio", "the largest of them", Better::lower, true})
      .value({"newer_p90_error_ratio", "the 90th percentile of versions that count graphs",
              Better::lower, true})
      .value({"logs_count", "logs", Better::higher, true})
      .value({"newer_logs_count", "logs of versions that count graphs", Better::higher, false})
      .model(model)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::kvcache::overhead
