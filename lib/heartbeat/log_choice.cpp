// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/log_choice.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "formats/line_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace hpclab::heartbeat {
namespace {

double node_count(const LogChoice& choice, const logs::FailureLog& log) {
  if (choice.nodes > 0) return static_cast<double>(choice.nodes);
  return log.node_count > 0 ? log.node_count : static_cast<double>(log.nodes.size());
}

double node_seconds(const LogChoice& choice, const logs::FailureLog& log) {
  return log.node_seconds > 0 ? log.node_seconds : node_count(choice, log) * log.observed_s;
}

// Share of node time that was down; overlapping faults of one node count once.
double down_ratio(const LogChoice& choice, const logs::FailureLog& log) {
  std::map<std::uint32_t, double> until;
  double down = 0;
  for (const logs::Failure& f : log.failures) {
    const auto [at, fresh] = until.try_emplace(f.node, f.time_s);
    const double begin = std::max(f.time_s, at->second);
    const double end = f.time_s + f.down_s;
    if (end > begin) down += end - begin;
    at->second = std::max(at->second, end);
  }
  const double exposure = node_seconds(choice, log);
  return exposure > 0 ? down / exposure : 0;
}

void describe_gaps(const logs::FailureLog& log, Result& result) {
  const std::vector<double> gaps = logs::gaps_of(log);
  if (gaps.size() < 3) return;
  double sum = 0;
  double squares = 0;
  double zeros = 0;
  for (const double gap : gaps) {
    sum += gap;
    squares += gap * gap;
    zeros += gap == 0 ? 1 : 0;
  }
  const auto n = static_cast<double>(gaps.size());
  const double mean = sum / n;
  result.set_value("failure_gap_mean_s", mean);
  result.set_value("zero_gap_ratio", zeros / n);
  if (mean > 0) {
    result.set_value("gap_variation_ratio",
                     std::sqrt(std::max((squares / n - mean * mean) * n / (n - 1), 0.0)) / mean);
  }
  try {
    const logs::WeibullFit fit = logs::fit_weibull(gaps);
    result.set_value("weibull_shape", fit.shape);
    result.set_value("weibull_scale_s", fit.scale);
  } catch (const UsageError& error) {
    result.add_note(error.what());
  }
}

}  // namespace

std::pair<PauseLawPtr, std::optional<logs::PauseLog>> pauses_of(const LogChoice& choice) {
  switch (choice.pause) {
    case PauseKind::exponential:
      return {exponential_pauses(choice.pause_mean_s), std::nullopt};
    case PauseKind::pareto:
      return {pareto_pauses(choice.pause_minimum_s, choice.pause_shape), std::nullopt};
    case PauseKind::lognormal:
      return {lognormal_pauses(choice.pause_median_s, choice.pause_sigma), std::nullopt};
    case PauseKind::bimodal:
      return {mixed_pauses(exponential_pauses(choice.pause_mean_s),
                           normal_pauses(choice.second_mean_s, choice.second_deviation_s),
                           choice.second_share),
              std::nullopt};
    case PauseKind::file:
      break;
  }
  if (choice.pauses.empty()) throw UsageError("pause=file needs the file: pauses=F");
  formats::LineReader lines(choice.pauses);
  logs::PauseLog log = logs::read_pauses(lines, choice.pauses_as);
  PauseLawPtr law = empirical_pauses(log.pauses_s);
  return {std::move(law), std::move(log)};
}

std::optional<logs::FailureLog> failures_of(const LogChoice& choice) {
  if (choice.failures_from == FailureOrigin::rate) return std::nullopt;
  if (choice.failures.empty()) throw UsageError("failures_from=file needs the file: failures=F");
  formats::LineReader lines(choice.failures);
  logs::FailureSelection selection;
  selection.system = choice.system;
  selection.from_s = choice.from_s;
  if (choice.until_s > 0) selection.until_s = choice.until_s;
  return logs::read_failures(lines, selection);
}

double rank_failure_rate(const LogChoice& choice, const logs::FailureLog& log) {
  const double exposure = node_seconds(choice, log);
  if (!(exposure > 0)) {
    throw CaseFailed("the failure log covers no time; give failure_rate_per_s instead");
  }
  return static_cast<double>(log.failures.size()) / exposure;
}

void describe(const LogChoice& choice, const logs::FailureLog& log, Result& result) {
  result.set_value("failures_count", static_cast<double>(log.failures.size()));
  result.set_value("failures_per_1000_node_days", rank_failure_rate(choice, log) * 1000 * 86400);
  result.set_value("down_ratio", down_ratio(choice, log));
  describe_gaps(log, result);
  std::vector<std::vector<double>> repairs(log.causes.size());
  std::vector<std::int64_t> counts(log.causes.size(), 0);
  std::vector<double> all;
  for (const logs::Failure& f : log.failures) {
    ++counts[f.cause];
    repairs[f.cause].push_back(f.down_s);
    all.push_back(f.down_s);
  }
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  if (*std::max_element(all.begin(), all.end()) > 0) {
    result.set_value("repair_mean_s", mean(all));
    result.set_value("repair_median_s", median(all));
  }
  Table causes{{"cause", "failures", "repair_mean_s", "repair_median_s"}, {"", "", "s", "s"}, {}};
  for (std::size_t i = 0; i < log.causes.size() && causes.rows.size() < 100; ++i) {
    if (counts[i] == 0) continue;
    causes.rows.push_back({log.causes[i], counts[i], mean(repairs[i]), median(repairs[i])});
  }
  std::stable_sort(causes.rows.begin(), causes.rows.end(),
                   [](const auto& a, const auto& b) { return a[1] > b[1]; });
  result.set_table("causes", causes);
  result.set_text("failures_format", log.format);
  if (log.node_count == 0 && choice.nodes == 0 && log.node_seconds == 0) {
    result.add_note(fmt::format(
        "the log does not say how many nodes there are: taken are the {} that failed; nodes=N "
        "states it",
        log.nodes.size()));
  }
}

}  // namespace hpclab::heartbeat
