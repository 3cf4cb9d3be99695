// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/import/saved_profile.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::roofline::import {
namespace {

using machine::Figure;
using machine::MachineKind;
using machine::MachineProfile;

/// What the rows of one file say about one figure.
struct Evidence {
  std::vector<double> values;
  std::vector<std::string> points;
  std::string format;
  std::string file;
  bool of_plateau = false;
};

/// By figure, then by file.
using Evidences = std::map<std::string, std::map<std::string, Evidence>>;

bool has_figures(const Json& record) {
  const auto tables = record.find("tables");
  return record.value("status", "") == "ok" && tables != record.end() &&
         tables->contains("figures");
}

Evidences evidences_of(const std::vector<Json>& records) {
  Evidences evidences;
  std::set<std::string> seen;  // a point placed on several machines is one piece of evidence
  for (const Json& record : records) {
    if (!has_figures(record)) continue;
    const Json& file = record["parameters"]["file"];
    const std::string digest = file["sha256"].get<std::string>();
    const std::string point = record["parameters"]["point"].get<std::string>();
    for (const Json& row : record["tables"]["figures"]["rows"]) {
      const std::string figure = row[0].get<std::string>();
      if (!seen.insert(digest + " " + point + " " + figure).second) continue;
      Evidence& evidence = evidences[figure][digest];
      evidence.values.push_back(row[1].get<double>());
      evidence.points.push_back(point);
      evidence.format = record["text"]["format"].get<std::string>();
      evidence.file = file["name"].get<std::string>();
      evidence.of_plateau = record["text"]["figures"] == "of a plateau";
    }
  }
  return evidences;
}

Figure figure_of(const std::string& name, const Evidence& evidence) {
  Figure figure;
  const bool theory = name.find("theoretical") != std::string::npos;
  figure.status = theory ? machine::FigureStatus::derived : machine::FigureStatus::measured;
  figure.source = fmt::format("{} log {}, read by hpclab roofline import{}", evidence.format,
                              evidence.file, theory ? ": bytes a cycle x clock" : "");
  if (evidence.of_plateau && evidence.values.size() > 1) {
    figure.value = median(evidence.values);
    figure.interval95 = {quantile(evidence.values, 0.025), quantile(evidence.values, 0.975)};
    figure.conditions =
        fmt::format("median and central 95 % range of {} rows, '{}' to '{}'",
                    evidence.values.size(), evidence.points.front(), evidence.points.back());
    return figure;
  }
  // Rows of different shapes or repetitions: the ceiling is the best of them.
  const bool latency = name.ends_with("latency_s");
  const auto best = latency ? std::min_element(evidence.values.begin(), evidence.values.end())
                            : std::max_element(evidence.values.begin(), evidence.values.end());
  figure.value = *best;
  figure.conditions = evidence.points[static_cast<std::size_t>(best - evidence.values.begin())];
  if (evidence.values.size() > 1)
    figure.conditions += fmt::format("; best of {}", evidence.values.size());
  return figure;
}

MachineKind kind_of(const std::vector<Json>& records) {
  std::set<std::string> kinds;
  for (const Json& record : records) {
    if (has_figures(record)) kinds.insert(record["text"]["kind"].get<std::string>());
  }
  if (kinds.size() > 1) {
    throw UsageError(
        "--save-machine: the logs are of a processor and of a GPU; one profile is of "
        "one machine (logs that do not say, such as BabelStream CSV, count as the kind "
        "of --machine)");
  }
  if (kinds.empty()) {
    throw UsageError(
        "--save-machine: no point of the logs measures a ceiling: bandwidth of a known "
        "level, peak rate or latency");
  }
  return *kinds.begin() == machine::name_of(MachineKind::gpu) ? MachineKind::gpu : MachineKind::cpu;
}

}  // namespace

MachineProfile profile_from_records(const std::vector<Json>& records) {
  MachineProfile profile;
  profile.kind = kind_of(records);
  std::set<std::string> files;
  for (const auto& [figure, by_file] : evidences_of(records)) {
    // Several files about one figure: the one that shows the better ceiling.
    const Evidence* chosen = nullptr;
    Figure best;
    for (const auto& [digest, evidence] : by_file) {
      const Figure candidate = figure_of(figure, evidence);
      const bool latency = figure.ends_with("latency_s");
      if (!chosen || (latency ? candidate.value < best.value : candidate.value > best.value)) {
        chosen = &evidence;
        best = candidate;
      }
    }
    const std::size_t dot = figure.find('.');
    profile.set(figure.substr(0, dot), figure.substr(dot + 1), best);
    files.insert(chosen->file);
  }
  profile.description = "imported from";
  for (const std::string& file : files)
    profile.description += (file == *files.begin() ? " " : ", ") + file;
  return profile;
}

std::vector<std::string> conclude(const RunSummary& summary) {
  std::vector<std::string> lines;
  std::size_t points = 0;
  std::size_t contradicting = 0;
  bool assumed_kind = false;
  for (const Json& record : summary.records) {
    if (record["status"] != "ok") continue;
    ++points;
    if (record["values"].value("contradictions_count", 0.0) > 0) ++contradicting;
    assumed_kind = assumed_kind || record["text"].contains("kind_from");
  }
  if (contradicting > 0) {
    lines.push_back(
        fmt::format("{} of {} points contradict themselves or the machine", contradicting, points));
  }
  for (const auto& [output, path] : summary.outputs) {
    if (output != "save-machine") continue;
    const MachineProfile profile = profile_from_records(summary.records);
    std::size_t figures = 0;
    for (const auto& [group, of_group] : profile.figures()) figures += of_group.size();
    lines.push_back(
        fmt::format("{} ({} figures{})", machine::update_profile(path, profile), figures,
                    assumed_kind ? std::string("; of a ") + machine::name_of(profile.kind) +
                                       " like --machine, because the log does not say"
                                 : ""));
  }
  return lines;
}

}  // namespace hpclab::roofline::import
