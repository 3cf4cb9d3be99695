// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A program of the user's under the instrument: run again and again, its times, memory, printed
// figures and NVTX ranges kept.
#pragma once

#include "core/result.hpp"
#include "core/stop_token.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hpclab::app {

/// A number that the program prints: the first group of the expression's last match.
struct OutputMetric {
  std::string name;
  std::string pattern;  ///< ECMAScript, matched line by line
};

struct CommandRequest {
  std::vector<std::string> command;
  std::vector<OutputMetric> metrics;
  std::map<std::string, double> work;       ///< flops, dram_bytes, ... of one run
  std::vector<std::string> range_patterns;  ///< globs over NVTX range names; empty: none captured
  std::string stopping_rule;
  std::size_t warm_up = 1;
  double time_limit_s = 0.0;  ///< of one run; 0: none
  StopToken stop;
};

/// Runs the command until the rule holds. The result has time_s with its interval, cpu_s,
/// peak_memory_bytes, every metric, `<range>_s` of every captured range (its total in a run), rates
/// of the declared work, all samples, and a table of the ranges. Throws CaseFailed with the last
/// lines of the program's messages when it fails, does not print a metric, or has no range that
/// matches; NotAvailable when it cannot be started; UsageError for a wrong pattern or rule.
Result measure_command(const CommandRequest& request);

/// What records of such commands declare: values with their better direction, by the suffix of a
/// metric's name (`_per_s` higher, `_s` and `_bytes` lower, else neither). Metrics go first, in
/// the order given.
Json command_declaration(const CommandRequest& request);

/// The name of the value that a range or metric gives: lower case, words joined by `_`.
std::string value_name_of(const std::string& text);

}  // namespace hpclab::app
