// hpclab: SPDX-License-Identifier: Apache-2.0
//
// `hpclab doctor`: what this machine is, what that means for measurements, and what would mend it.
#include "hpclab/program.hpp"
#include "hpclab/text_table.hpp"
#include "hpclab/verb.hpp"

#include <future>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

const char* color_of(FindingStatus status) {
  switch (status) {
    case FindingStatus::ok:
      return "\033[32m";
    case FindingStatus::note:
      return "\033[36m";
    case FindingStatus::warning:
      return "\033[33m";
    case FindingStatus::missing:
      return "\033[35m";
  }
  return "";
}

std::string finding_text(const Probe& probe, const Finding& finding, bool color) {
  std::string status = fmt::format("{:<7}", name_of(finding.status));
  if (color) status = color_of(finding.status) + status + "\033[0m";
  constexpr std::size_t indent = 29;
  std::string text =
      fmt::format("  {} {:<18} {}\n", status, probe.name, wrapped(finding.finding, 84, indent));
  if (!finding.meaning.empty())
    text += std::string(indent, ' ') + wrapped(finding.meaning, 84, indent) + "\n";
  if (!finding.mend.empty())
    text += std::string(indent, ' ') + "mend: " + wrapped(finding.mend, 78, indent + 6) + "\n";
  return text;
}

ExitCode doctor(Program& program, const Arguments& arguments) {
  const auto& probes = program.probes.probes();
  // Probes that ask another program wait for it; side by side they wait once.
  std::vector<std::future<Finding>> looks;
  looks.reserve(probes.size());
  for (const Probe& probe : probes) {
    looks.push_back(std::async(std::launch::async, [&probe] { return look(probe); }));
  }
  std::vector<Finding> findings;
  findings.reserve(looks.size());
  for (auto& one : looks) findings.push_back(one.get());
  if (arguments.has("json")) {
    Json json = Json::array();
    for (std::size_t i = 0; i < probes.size(); ++i) {
      json.push_back({{"probe", probes[i].name},
                      {"group", probes[i].group},
                      {"status", name_of(findings[i].status)},
                      {"finding", findings[i].finding},
                      {"meaning", findings[i].meaning},
                      {"mend", findings[i].mend},
                      {"facts", findings[i].facts}});
    }
    print(Json{{"hpclab", build_facts()}, {"probes", json}}.dump(2, ' ', false,
                                                                 Json::error_handler_t::replace) +
          "\n");
    return ExitCode::ok;
  }
  std::map<FindingStatus, int> counts;
  std::string group;
  std::string text;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    if (probes[i].group != group) {
      group = probes[i].group;
      text += (program.color ? "\033[1m" + group + "\033[0m" : group) + "\n";
    }
    ++counts[findings[i].status];
    text += finding_text(probes[i], findings[i], program.color);
  }
  text += fmt::format("{} ok, {} to note, {} warnings, {} missing\n", counts[FindingStatus::ok],
                      counts[FindingStatus::note], counts[FindingStatus::warning],
                      counts[FindingStatus::missing]);
  print(text);
  return ExitCode::ok;
}

}  // namespace

Verb doctor_verb() {
  Verb verb;
  verb.name = "doctor";
  verb.summary = "looks at this machine: what helps or harms measurements, and the mend";
  verb.options = {{.name = "json", .help = "as JSON"}};
  verb.run = doctor;
  return verb;
}

}  // namespace hpclab::app
