// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/resume.hpp"

#include "core/log.hpp"
#include "core/record_file.hpp"
#include "core/stopping_rule.hpp"

#include <fmt/format.h>

namespace hpclab::app {
namespace {

// The rule is no part of a case's id: what is measured does not depend on it, how well it is does.
void tell_other_stopping_rules(const std::filesystem::path& file, const std::vector<Json>& records,
                               const std::vector<Case>& cases) {
  std::unordered_map<std::string, std::string> wanted;
  for (const Case& c : cases) {
    wanted[c.id] = c.stopping_rule.empty() ? std::string(default_stopping_rule) : c.stopping_rule;
  }
  std::size_t others = 0;
  std::string example;
  for (const Json& record : records) {
    const auto rule = record.find("stopping_rule");
    const auto now = wanted.find(record["id"].get<std::string>());
    if (rule == record.end() || now == wanted.end() || *rule == now->second) continue;
    if (others++ == 0) example = fmt::format("{}, not {}", rule->get<std::string>(), now->second);
  }
  if (others == 0) return;
  log_warning(
      "{} finished case{} of {} {} measured under another stopping rule ({}) and kept; give "
      "another "
      "--out to measure again",
      others, others == 1 ? "" : "s", file.string(), others == 1 ? "was" : "were", example);
}

}  // namespace

std::unordered_map<std::string, Json> finished_cases(const std::filesystem::path& file,
                                                     const std::vector<Case>& cases,
                                                     bool retry_failed) {
  RecordFile content = read_records(file);
  if (content.torn) {
    log_warning("{}: the torn last line is dropped", file.string());
    truncate_file(file, content.whole_bytes);
  }
  tell_other_stopping_rules(file, content.cases, cases);
  std::unordered_map<std::string, Json> finished;
  for (Json& record : content.cases) {
    if (record["status"] == "failed" && retry_failed) continue;
    finished.emplace(record["id"].get<std::string>(), std::move(record));
  }
  return finished;
}

}  // namespace hpclab::app
