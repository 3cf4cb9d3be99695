// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "heartbeat/logs/parsers.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::heartbeat::logs {
namespace {

using Json = nlohmann::json;

struct OpenFault {
  int count = 0;  // faults of one node may overlap: it is back when the last one has ended
  std::size_t failure = 0;
};

std::string text_at(const Json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) {
    throw UsageError(fmt::format("{}: a text '{}' is missing", where, key));
  }
  return formats::printable(found->get_ref<const std::string&>(), 100);
}

double days_at(const Json& object, const std::string& where) {
  const auto found = object.find("event_time");
  if (found == object.end() || !found->is_number() || !(found->get<double>() >= -1e7) ||
      !(found->get<double>() <= 1e7)) {
    throw UsageError(fmt::format("{}: 'event_time' is no number of days", where));
  }
  return found->get<double>();
}

}  // namespace

// A list of {"node_id", "event_time" (days), "event_type": fault_start | fault_end, "fault_type":
// {"Level", "Class", "Desc"}}.
FailureLog read_fault_trace(formats::LineReader& lines, const std::string& first) {
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  std::string text = first;
  std::string_view line;
  while (lines.next(line)) {
    text += '\n';
    text += line;
    if (text.size() > most_bytes) throw UsageError(lines.where() + ": more than 256 MiB of JSON");
  }
  const Json events = Json::parse(text, nullptr, false);
  if (events.is_discarded() || !events.is_array()) {
    throw UsageError(lines.name() + ": no JSON list of fault events");
  }
  struct Event {
    double time;
    bool start;
    std::string node;
    std::string cause;
  };
  std::vector<Event> ordered;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string where = fmt::format("{}: event {}", lines.name(), i);
    if (!events[i].is_object()) throw UsageError(where + " is no object");
    const std::string type = text_at(events[i], "event_type", where);
    if (type != "fault_start" && type != "fault_end") {
      throw UsageError(fmt::format("{}: '{}' is neither fault_start nor fault_end", where, type));
    }
    const auto fault = events[i].find("fault_type");
    const bool classed = fault != events[i].end() && fault->is_object();
    ordered.push_back({86400 * days_at(events[i], where), type == "fault_start",
                       text_at(events[i], "node_id", where),
                       classed ? text_at(*fault, "Class", where) : "unknown"});
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
  FailureLog log;
  log.format = "fault-trace";
  std::map<std::string, std::uint32_t> nodes;
  std::map<std::string, std::uint32_t> causes;
  std::map<std::string, OpenFault> open;
  for (const Event& event : ordered) {
    OpenFault& state = open[event.node];
    if (event.start) {
      const auto [node, fresh_node] =
          nodes.try_emplace(event.node, static_cast<std::uint32_t>(nodes.size()));
      if (fresh_node) log.nodes.push_back(event.node);
      const auto [cause, fresh_cause] =
          causes.try_emplace(event.cause, static_cast<std::uint32_t>(causes.size()));
      if (fresh_cause) log.causes.push_back(event.cause);
      if (state.count++ == 0) state.failure = log.failures.size();
      log.failures.push_back({event.time, 0, node->second, cause->second});
    } else if (state.count > 0 && --state.count == 0) {
      Failure& failure = log.failures[state.failure];
      failure.down_s = event.time - failure.time_s;
    }
  }
  if (!ordered.empty()) log.observed_s = ordered.back().time - ordered.front().time;
  return log;
}

}  // namespace hpclab::heartbeat::logs
