// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/import/model.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/units.hpp"
#include "machine/profile.hpp"
#include "roofline/import/placement.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::roofline::import {
namespace {

const Point& point_named(const Log& log, const std::string& name, const std::string& file) {
  std::vector<std::string> names;
  for (const Point& point : log.points) {
    if (point.name == name) return point;
    names.push_back(point.name);
  }
  throw CaseFailed(fmt::format("{} has no point '{}'{}", file, name, suggestion(name, names)));
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

// The bytes that stand for the point in the picture: those of main memory, else of the level that
// is farthest from the core.
double main_bytes(const std::map<std::string, double>& bytes, std::string& level) {
  for (const char* candidate : {"dram", "l3", "l2", "l1", "shared"}) {
    if (const auto found = bytes.find(candidate); found != bytes.end() && found->second > 0) {
      level = candidate;
      return found->second;
    }
  }
  return 0;
}

void set_rates(const Point& point, const Placement& placement, Result& result) {
  const double time = point.time_s.value;
  std::string level;
  const double bytes = main_bytes(placement.bytes, level);
  result.set_value("time_s", time);
  if (point.dof > 0) result.set_value("throughput_dof_per_s", point.dof / time);
  if (point.flops > 0) {
    result.set_value("flops_per_s", point.flops / time);
    result.set_work("flops", point.flops);
  }
  if (bytes > 0) {
    result.set_value("bandwidth_bytes_per_s", bytes / time);
    result.set_work(level + "_bytes", bytes);
    result.set_text("level", level);
  }
  if (bytes > 0 && point.flops > 0) {
    result.set_value("intensity_flops_per_byte", point.flops / bytes);
    // What every ceiling allows at the point's own ratio of work.
    double least = std::numeric_limits<double>::infinity();
    for (const Use& use : placement.uses) least = std::min(least, point.flops / time / use.share());
    if (!placement.uses.empty()) result.set_value("ceiling_flops_per_s", least);
  }
}

void set_printed(const Point& point, Result& result) {
  for (const Check& check : point.checks) {
    const char* name = check.quantity == Quantity::flops   ? "printed_flops_per_s"
                       : check.quantity == Quantity::bytes ? "printed_bandwidth_bytes_per_s"
                       : check.quantity == Quantity::dof   ? "printed_throughput_dof_per_s"
                                                           : "printed_intensity_flops_per_byte";
    if (!result.value(name)) result.set_value(name, check.printed.value);
  }
}

void set_tables(const Point& point, const Placement& placement, Result& result) {
  if (!placement.uses.empty()) {
    Table table{{"ceiling", "rate", "limit", "share"}, {"", "1/s", "1/s", "ratio"}, {}};
    for (const Use& use : placement.uses)
      table.rows.push_back({use.name, use.rate, use.ceiling, use.share()});
    result.set_table("ceilings", table);
  }
  if (!point.checks.empty()) {
    Table table{{"printed", "value", "low", "high"}, {"", "", "", ""}, {}};
    for (const Check& check : point.checks)
      table.rows.push_back({check.name, check.printed.value, check.low, check.high});
    result.set_table("checks", table);
  }
  if (!point.figures.empty()) {
    Table table{{"figure", "value"}, {"", ""}, {}};
    for (const auto& [figure, value] : point.figures) table.rows.push_back({figure, value});
    result.set_table("figures", table);
  }
}

// "file.log:12" without the folder, which belongs to one machine.
std::string place_in_file(const std::string& where) {
  return where.substr(where.rfind('/') + 1);
}

}  // namespace

Result model(const Parameters& p, Context& context) {
  const machine::MachineProfile& profile = *context.machine_profile;
  const auto log = read_log(p.file, p.format, p.launches);
  const Point& point = point_named(*log, p.point, p.file.filename().string());
  Result result;
  result.set_text("format", log->format);
  result.set_text("where", place_in_file(point.where));
  if (!point.figures.empty()) {
    result.set_text("figures", point.of_plateau ? "of a plateau" : "of this row");
    result.set_text(
        "kind", point.machine_kind.empty() ? machine::name_of(profile.kind) : point.machine_kind);
    if (point.machine_kind.empty())
      result.set_text("kind_from", "the profile, because the log does not say");
  }
  std::vector<std::string> findings = point.findings;
  for (const Check& check : point.checks) {
    if (auto words = contradiction(check)) findings.push_back(std::move(*words));
  }
  std::vector<std::string> notes = point.notes;
  if (point.latency_s > 0) {
    result.set_value("latency_s", point.latency_s);
    set_tables(point, {}, result);
  } else {
    const Placement placement = place(point, profile);
    if (placement.uses.empty()) throw CaseFailed(joined(placement.notes));
    set_rates(point, placement, result);
    set_tables(point, placement, result);
    const Use& binding = placement.uses.front();
    result.set_value("fraction_of_ceiling_ratio", binding.share());
    result.set_text(
        "bound", fmt::format("{} {}", binding.name,
                             readable(binding.group == "peak" ? "x_flops_per_s" : "x_bytes_per_s",
                                      binding.ceiling)
                                 .text()));
    findings.insert(findings.end(), placement.findings.begin(), placement.findings.end());
    notes.insert(notes.end(), placement.notes.begin(), placement.notes.end());
  }
  set_printed(point, result);
  for (const auto& [name, value] : point.further_values) result.set_value(name, value);
  result.set_value("contradictions_count", static_cast<double>(findings.size()));
  result.set_text("verdict",
                  findings.empty() ? "no contradiction" : "CONTRADICTION: " + joined(findings));
  for (std::string& note : notes) result.add_note(std::move(note));
  return result;
}

}  // namespace hpclab::roofline::import
