// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/logs/failures.hpp"

#include "core/error.hpp"
#include "formats/fields.hpp"
#include "formats/table_reader.hpp"
#include "heartbeat/logs/parsers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::heartbeat::logs {
namespace {

void select(FailureLog& log, const FailureSelection& selection) {
  std::erase_if(log.failures, [&](const Failure& f) {
    return f.time_s < selection.from_s || f.time_s >= selection.until_s;
  });
  std::stable_sort(log.failures.begin(), log.failures.end(),
                   [](const Failure& a, const Failure& b) { return a.time_s < b.time_s; });
  if (log.causes.empty()) log.causes.emplace_back("unknown");
}

}  // namespace

FailureLog read_failures(formats::LineReader& lines, const FailureSelection& selection) {
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view text = formats::trimmed(line);
    if (!text.empty() && text.front() != '#') break;
    line = {};
  }
  const std::string first(formats::trimmed(line));
  if (first.empty()) throw UsageError(lines.name() + ": the file is empty");
  FailureLog log;
  if (first.front() == '[' || first.front() == '{') {
    log = read_fault_trace(lines, first);
  } else if (first.find("JobID") != std::string::npos) {
    log = read_slurm(lines, first);
  } else if (first.rfind("system,", 0) == 0) {
    log = read_lanl(lines, first, selection.system);
  } else if (first.find(",add,") != std::string::npos ||
             first.find(",remove,") != std::string::npos) {
    log = read_spot(lines, first);
  } else {
    log = read_times(lines, first);
  }
  select(log, selection);
  if (log.failures.empty()) {
    throw UsageError(
        fmt::format("{}: no failure was found (read as {})", lines.name(), log.format));
  }
  if (log.observed_s == 0 || selection.from_s > 0 || std::isfinite(selection.until_s)) {
    const double from = std::max(log.failures.front().time_s, selection.from_s);
    log.observed_s = log.failures.back().time_s - from;
  }
  return log;
}

std::vector<double> gaps_of(const FailureLog& log) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < log.failures.size(); ++i) {
    gaps.push_back(log.failures[i].time_s - log.failures[i - 1].time_s);
  }
  return gaps;
}

WeibullFit fit_weibull(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) {
    if (value > 0 && std::isfinite(value)) logs.push_back(std::log(value));
  }
  if (logs.size() < 2 ||
      *std::min_element(logs.begin(), logs.end()) == *std::max_element(logs.begin(), logs.end())) {
    throw UsageError("a Weibull distribution needs two different values above 0");
  }
  const double top = *std::max_element(logs.begin(), logs.end());
  double mean_log = 0;
  for (const double x : logs) mean_log += x / static_cast<double>(logs.size());
  // The likelihood's root in the shape k: sum x^k ln x / sum x^k - 1 / k = mean ln x; rises with k.
  const auto excess = [&](double k) {
    double sum = 0;
    double weighted = 0;
    for (const double x : logs) {
      const double power = std::exp(k * (x - top));
      sum += power;
      weighted += power * x;
    }
    return weighted / sum - 1 / k - mean_log;
  };
  double low = 1e-4;
  double high = 1;
  while (excess(high) < 0 && high < 1e6) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (excess(middle) < 0 ? low : high) = middle;
  }
  WeibullFit fit;
  fit.shape = 0.5 * (low + high);
  double sum = 0;
  for (const double x : logs) sum += std::exp(fit.shape * (x - top));
  fit.scale = std::exp(top + std::log(sum / static_cast<double>(logs.size())) / fit.shape);
  return fit;
}

}  // namespace hpclab::heartbeat::logs
