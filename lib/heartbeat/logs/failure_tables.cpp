// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "formats/table_reader.hpp"
#include "heartbeat/logs/parsers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace hpclab::heartbeat::logs {
namespace {

using formats::TableReader;

// Names to indices in the order of their first appearance.
class Index {
 public:
  explicit Index(std::vector<std::string>& names) : names_(names) {}
  std::uint32_t of(std::string_view name) {
    const auto [at, fresh] =
        found_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
    if (fresh) names_.emplace_back(name);
    return at->second;
  }

 private:
  std::vector<std::string>& names_;
  std::map<std::string, std::uint32_t, std::less<>> found_;
};

void require_time(double time, const std::string& where) {
  if (time < -1e12 || time > 1e12) {
    throw UsageError(fmt::format("{}: a time of {} s is out of range", where, time));
  }
}

// "2024-05-01T10:20:30" as seconds since 1970 in UTC; nullopt for Unknown and anything else.
std::optional<double> calendar_s(std::string_view text) {
  int y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0;
  const std::string copy(text.substr(0, 40));
  if (std::sscanf(copy.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d", &y, &mo, &d, &h, &mi, &s) != 6) {
    return std::nullopt;
  }
  if (y < 1970 || y > 2200 || mo < 1 || mo > 12 || d < 1 || d > 31 || h < 0 || h > 23 || mi < 0 ||
      mi > 59 || s < 0 || s > 60) {
    return std::nullopt;
  }
  // Days of the Gregorian calendar, counted in years that begin in March.
  const int year = mo > 2 ? y : y - 1;
  const int month = mo > 2 ? mo - 3 : mo + 9;
  const std::int64_t days =
      365LL * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + d - 719469;
  return static_cast<double>(days * 86400 + h * 3600 + mi * 60 + s);
}

void span(FailureLog& log, double& first, double& last) {
  if (last > first) log.observed_s = last - first;
}

}  // namespace

FailureLog read_times(formats::LineReader& lines, const std::string& first) {
  FailureLog log;
  log.format = "times";
  Index nodes(log.nodes);
  log.causes.emplace_back("unknown");
  if (formats::number_in(first)) {  // one column without a header
    nodes.of("any");
    std::string_view line = first;
    do {
      line = formats::trimmed(line);
      if (line.empty() || line.front() == '#') continue;
      const double time = formats::require_number(line, "time", lines.where());
      require_time(time, lines.where());
      if (!log.failures.empty() && time < log.failures.back().time_s) {
        throw UsageError(
            fmt::format("{}: {} s is earlier than the line above; times have to increase",
                        lines.where(), time));
      }
      log.failures.push_back({time, 0, 0, 0});
    } while (lines.next(line));
    return log;
  }
  TableReader table(lines, first);
  const std::size_t time = table.columns().require_one_of({"time_s", "start_s", "time", "start"});
  const auto node = table.columns().find("node");
  const auto down = table.columns().find("down_s");
  const auto cause = table.columns().find("cause");
  log.causes.clear();
  Index causes(log.causes);
  while (table.next()) {
    Failure f;
    const auto calendar = calendar_s(table.text(time));
    f.time_s = calendar ? *calendar : table.number(time);
    require_time(f.time_s, table.where());
    f.down_s = down ? table.number(*down) : 0;
    if (f.down_s < 0) throw UsageError(table.where() + ": a failure ended before it began");
    f.node = nodes.of(node ? table.text(*node) : "any");
    f.cause = causes.of(cause ? table.text(*cause) : "unknown");
    log.failures.push_back(f);
  }
  return log;
}

FailureLog read_lanl(formats::LineReader& lines, const std::string& first, std::int64_t system) {
  FailureLog log;
  log.format = "lanl";
  TableReader table(lines, first);
  const auto& columns = table.columns();
  const std::size_t system_at = columns.require("system");
  const std::size_t nodes_at = columns.require("nodes");
  const std::size_t node_at = columns.require("node");
  const std::size_t start_at = columns.require("start_min");
  const std::size_t down_at = columns.require("down_min");
  const std::size_t cause_at = columns.require("cause");
  Index nodes(log.nodes);
  Index causes(log.causes);
  std::map<std::int64_t, double> sizes;
  while (table.next()) {
    const std::int64_t of_system = table.integer(system_at);
    if (system != 0 && of_system != system) continue;
    // Some rows leave the size of their system, or the time down, open.
    const auto number_or_0 = [&](std::size_t column) {
      return table.text(column).empty() ? 0.0 : table.number(column);
    };
    sizes[of_system] = std::max({sizes[of_system], number_or_0(nodes_at), 1.0});
    Failure f;
    f.time_s = 60 * table.number(start_at);
    require_time(f.time_s, table.where());
    f.down_s = 60 * number_or_0(down_at);
    if (f.down_s < 0) throw UsageError(table.where() + ": a failure ended before it began");
    f.node = nodes.of(fmt::format("{}/{}", of_system, table.text(node_at)));
    f.cause = causes.of(table.text(cause_at).empty() ? "none" : table.text(cause_at));
    log.failures.push_back(f);
  }
  for (const auto& [of_system, size] : sizes) log.node_count += size;
  return log;
}

FailureLog read_slurm(formats::LineReader& lines, const std::string& first) {
  FailureLog log;
  log.format = "slurm";
  TableReader table(lines, first);
  const auto& columns = table.columns();
  const std::size_t job_at = columns.require("JobID");
  const std::size_t state_at = columns.require("State");
  const std::size_t start_at = columns.require("Start");
  const std::size_t end_at = columns.require("End");
  const std::size_t nodes_at = columns.require_one_of({"NNodes", "AllocNodes"});
  Index nodes(log.nodes);
  Index causes(log.causes);
  double begin = 1e300;
  double last = -1e300;
  while (table.next()) {
    // Steps ("123.batch") repeat their job.
    if (table.text(job_at).find('.') != std::string_view::npos) continue;
    const auto start = calendar_s(table.text(start_at));
    const auto end = calendar_s(table.text(end_at));
    if (!start || !end) continue;  // still waiting or running
    if (*end < *start) throw UsageError(table.where() + ": a job ended before it began");
    const double width = table.number(nodes_at);
    if (width < 0) throw UsageError(table.where() + ": a job has no negative number of nodes");
    log.node_seconds += width * (*end - *start);
    log.node_count = std::max(log.node_count, width);
    begin = std::min(begin, *start);
    last = std::max(last, *end);
    const std::string_view state = table.text(state_at);
    if (state.rfind("NODE_FAIL", 0) != 0 && state.rfind("BOOT_FAIL", 0) != 0) continue;
    log.failures.push_back({*end, 0, nodes.of(table.text(job_at)), causes.of(state)});
  }
  span(log, begin, last);
  return log;
}

FailureLog read_spot(formats::LineReader& lines, const std::string& first) {
  FailureLog log;
  log.format = "spot";
  log.causes.emplace_back("preempted");
  Index nodes(log.nodes);
  std::map<std::string, std::size_t, std::less<>> away;  // node -> its open failure
  double begin = 1e300;
  double last = -1e300;
  double present = 0;
  std::string_view line = first;
  do {
    line = formats::trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t a = line.find(',');
    const std::size_t b = a == std::string_view::npos ? a : line.find(',', a + 1);
    if (b == std::string_view::npos) {
      throw UsageError(fmt::format("{}: '{}' is no line 'ms,add|remove,node'", lines.where(),
                                   formats::printable(line)));
    }
    const double time = 1e-3 * formats::require_number(line.substr(0, a), "time", lines.where());
    require_time(time, lines.where());
    const std::string_view what = line.substr(a + 1, b - a - 1);
    const std::string node(line.substr(b + 1));
    if (time < last) throw UsageError(lines.where() + ": earlier than the line above");
    begin = std::min(begin, time);
    last = time;
    if (what == "remove") {
      away[node] = log.failures.size();
      log.failures.push_back({time, 0, nodes.of(node), 0});
      --present;
    } else if (what == "add") {
      const auto open = away.find(node);
      if (open != away.end()) {
        log.failures[open->second].down_s = time - log.failures[open->second].time_s;
        away.erase(open);
      }
      log.node_count = std::max(log.node_count, ++present);
    } else {
      throw UsageError(fmt::format("{}: '{}' is neither add nor remove", lines.where(),
                                   formats::printable(what)));
    }
  } while (lines.next(line));
  span(log, begin, last);
  return log;
}

}  // namespace hpclab::heartbeat::logs
