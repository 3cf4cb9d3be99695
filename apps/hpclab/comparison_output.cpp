// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/comparison_output.hpp"

#include "core/units.hpp"
#include "hpclab/result_table.hpp"
#include "hpclab/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

using decisions::Basis;
using decisions::ComparedCase;
using decisions::SideCase;
using decisions::Verdict;

constexpr std::array<Verdict, 4> by_urgency{Verdict::slow, Verdict::unsure, Verdict::fast,
                                            Verdict::same};

const SideCase& case_a(const ComparisonView& view, const ComparedCase& c) {
  return view.a.cases[c.a];
}

const decisions::Quantity* quantity_of(const ComparisonView& view, const ComparedCase& c) {
  const SideCase& x = case_a(view, c);
  if (x.quantity != SideCase::no_quantity) return &view.a.quantities[x.quantity];
  const SideCase& y = view.b.cases[c.b];
  return y.quantity != SideCase::no_quantity ? &view.b.quantities[y.quantity] : nullptr;
}

std::size_t count(const ComparisonView& view, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(view.comparison.cases.begin(), view.comparison.cases.end(),
                    [&](const ComparedCase& c) { return c.verdict == verdict; }));
}

// Worst first: verdicts by urgency, and within one by the size of the loss.
std::vector<const ComparedCase*> rows_of(const ComparisonView& view) {
  std::vector<const ComparedCase*> rows;
  for (const Verdict verdict : by_urgency) {
    const std::size_t first = rows.size();
    for (const ComparedCase& c : view.comparison.cases) {
      if (c.verdict == verdict) rows.push_back(&c);
    }
    if (verdict == Verdict::same) break;
    std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                     [](const ComparedCase* x, const ComparedCase* y) {
                       if (x->broke != y->broke) return x->broke;
                       return x->slowdown.value_or(0.0) > y->slowdown.value_or(0.0);
                     });
  }
  return rows;
}

// Parameters that tell the rows apart, of each group of cases.
std::map<std::uint32_t, std::set<std::string>> telling_parameters(
    const ComparisonView& view, const std::vector<const ComparedCase*>& rows) {
  std::map<std::uint32_t, Json> first;
  std::map<std::uint32_t, std::set<std::string>> telling;
  for (const ComparedCase* row : rows) {
    const SideCase& x = case_a(view, *row);
    Json parameters = Json::parse(x.parameters, nullptr, false);
    const auto [entry, fresh] = first.try_emplace(x.group, parameters);
    if (fresh) continue;
    for (const auto& [name, value] : parameters.items()) {
      if (entry->second.value(name, Json()) != value) telling[x.group].insert(name);
    }
    for (const auto& [name, value] : entry->second.items()) {
      if (!parameters.contains(name)) telling[x.group].insert(name);
    }
  }
  return telling;
}

std::string case_text(const ComparisonView& view, const ComparedCase& c,
                      const std::map<std::uint32_t, std::set<std::string>>& telling) {
  const SideCase& x = case_a(view, c);
  const auto& group = view.a.groups[x.group];
  std::string text = group.lab + " " + group.study;
  if (view.a.groups.size() > 1)
    text += " " + (group.backend.empty() ? group.method : group.backend);
  const Json parameters = Json::parse(x.parameters, nullptr, false);
  Json shown = Json::object();
  const auto names = telling.find(x.group);
  for (const auto& [name, value] : parameters.items()) {
    if (names != telling.end() && names->second.contains(name)) shown[name] = value;
  }
  return shown.empty() ? text : text + " " + parameters_text(shown);
}

std::string value_text(const ComparisonView& view, const ComparedCase& c,
                       const decisions::Centre95& value, std::uint32_t processes) {
  const auto* quantity = quantity_of(view, c);
  if (processes == 0 || !quantity) return "";
  return readable(quantity->name, value.median).text();
}

// Change of the value itself, not of its cost.
struct Change {
  double estimate;
  std::optional<Interval> interval;
};

std::optional<Change> change_of(const ComparisonView& view, const ComparedCase& c) {
  if (!c.slowdown) return std::nullopt;
  const auto* quantity = quantity_of(view, c);
  const double sign = quantity && quantity->higher_is_better ? -1.0 : 1.0;
  Change change{decisions::relative_change(sign * std::log1p(*c.slowdown)), std::nullopt};
  if (c.evidence && std::isfinite(c.evidence->log_cost.low) &&
      std::isfinite(c.evidence->log_cost.high)) {
    const double one = decisions::relative_change(sign * c.evidence->log_cost.low);
    const double other = decisions::relative_change(sign * c.evidence->log_cost.high);
    change.interval = Interval{std::min(one, other), std::max(one, other)};
  }
  return change;
}

std::string interval_text(const std::optional<Change>& change) {
  if (!change || !change->interval) return "";
  return fmt::format("[{}, {}]", signed_percent(change->interval->low),
                     signed_percent(change->interval->high));
}

struct Row {
  std::string verdict, what, quantity, a, b, change, interval, p, processes, remark;
};

std::vector<Row> table_rows(const ComparisonView& view) {
  std::vector<const ComparedCase*> cases = rows_of(view);
  const auto telling = telling_parameters(view, cases);
  if (cases.size() > view.most_rows) cases.resize(view.most_rows);
  std::vector<Row> rows;
  for (const ComparedCase* c : cases) {
    const auto* quantity = quantity_of(view, *c);
    const auto change = change_of(view, *c);
    Row row;
    row.verdict = c->broke ? "BROKE" : decisions::name_of(c->verdict);
    row.what = case_text(view, *c, telling);
    row.quantity = quantity ? stem_of(quantity->name) : "";
    row.a = value_text(view, *c, c->value_a, c->processes_a);
    row.b = value_text(view, *c, c->value_b, c->processes_b);
    if (change) row.change = signed_percent(change->estimate);
    row.interval = interval_text(change);
    if (c->evidence) row.p = fmt::format("{:.2g}", c->adjusted_p);
    row.processes = fmt::format("{}/{}", c->processes_a, c->processes_b);
    row.remark = c->basis == Basis::exact && c->remark.empty() ? "no noise" : c->remark;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string counts_line(const ComparisonView& view) {
  std::string text = fmt::format("{} cases:", view.comparison.cases.size());
  const char* separator = " ";
  for (const Verdict verdict : by_urgency) {
    text += fmt::format("{}{} {}", separator, count(view, verdict), decisions::name_of(verdict));
    separator = ", ";
  }
  return text;
}

std::vector<std::string> remarks(const ComparisonView& view) {
  const auto& comparison = view.comparison;
  std::vector<std::string> lines;
  if (comparison.cases.size() > view.most_rows) {
    lines.push_back(fmt::format("{} more rows are not shown; --json has all",
                                comparison.cases.size() - view.most_rows));
  }
  if (!comparison.only_a.empty() || !comparison.only_b.empty()) {
    lines.push_back(fmt::format("without a partner: {} cases of A, {} of B",
                                comparison.only_a.size(), comparison.only_b.size()));
  }
  if (comparison.without_figures > 0) {
    lines.push_back(
        fmt::format("{} pairs have a figure on neither side", comparison.without_figures));
  }
  if (comparison.tests > 0) {
    const std::string how = decisions::name_of(view.options.adjustment);
    lines.push_back(fmt::format(
        "interval: {:g} % for one case; p: U test{}; SAME: within +- {:g} %",
        100.0 * (1.0 - view.options.rule.level),
        how == "none" ? std::string(", not adjusted")
                      : fmt::format(", adjusted ({}) over {} cases", how, comparison.tests),
        100.0 * view.options.rule.margin));
  }
  return lines;
}

std::string markdown_cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '>' || c == '`' || c == '*' || c == '_') result += '\\';
    result += c;
  }
  return result;
}

Json centre_json(const decisions::Centre95& value, std::uint32_t processes) {
  Json json = {{"processes", processes}};
  if (processes > 0) json["median"] = value.median;
  if (value.interval) json["interval95"] = {value.interval->low, value.interval->high};
  return json;
}

const char* name_of(Basis basis) {
  switch (basis) {
    case Basis::processes:
      return "processes";
    case Basis::samples:
      return "samples";
    case Basis::exact:
      return "exact";
    case Basis::same_record:
      return "same record";
    case Basis::none:
      break;
  }
  return "none";
}

Json case_json(const ComparisonView& view, const ComparedCase& c) {
  const SideCase& x = case_a(view, c);
  const auto& group = view.a.groups[x.group];
  Json json = {{"verdict", decisions::name_of(c.verdict)},
               {"lab", group.lab},
               {"study", group.study},
               {"method", group.method},
               {"backend", group.backend.empty() ? Json() : Json(group.backend)},
               {"parameters", Json::parse(x.parameters, nullptr, false)}};
  if (const auto* quantity = quantity_of(view, c)) {
    json["value"] = quantity->name;
    json["better"] = quantity->higher_is_better ? "higher" : "lower";
  }
  json["basis"] = name_of(c.basis);
  json["a"] = centre_json(c.value_a, c.processes_a);
  json["b"] = centre_json(c.value_b, c.processes_b);
  if (const auto change = change_of(view, c)) {
    json["change_ratio"] = change->estimate;
    if (change->interval) json["change_interval"] = {change->interval->low, change->interval->high};
    json["slowdown_ratio"] = *c.slowdown;
  }
  if (c.evidence) {
    json["p_value"] = c.evidence->p_value;
    json["adjusted_p_value"] = c.adjusted_p;
  }
  if (c.broke) json["broke"] = true;
  if (!c.remark.empty()) json["remark"] = c.remark;
  return json;
}

}  // namespace

std::string signed_percent(double ratio) {
  return fmt::format("{:+.3g} %", 100.0 * ratio);
}

std::string comparison_text(const ComparisonView& view, bool color) {
  TextTable table;
  table.add_column("verdict");
  for (const char* heading : {"A", "B", "change"}) table.add_column(heading, true);
  table.add_column("interval");
  table.add_column("p", true);
  table.add_column("processes", true);
  for (const char* heading : {"value", "case", "remark"}) table.add_column(heading);
  for (const Row& row : table_rows(view)) {
    table.add_row({row.verdict, row.a, row.b, row.change, row.interval, row.p, row.processes,
                   row.quantity, row.what, row.remark});
  }
  std::string text = table.empty() ? "" : table.text(color);
  text += counts_line(view) + "\n";
  for (const std::string& line : remarks(view)) text += line + "\n";
  for (const std::string& line : view.differences) text += "differs: " + line + "\n";
  return text;
}

std::string comparison_markdown(const ComparisonView& view) {
  std::string text = "**" + counts_line(view) + "**\n\n";
  text += "| verdict | A | B | change | interval | p | processes | value | case | remark |\n";
  text += "|---|--:|--:|--:|---|--:|--:|---|---|---|\n";
  for (const Row& row : table_rows(view)) {
    text += "|";
    for (const std::string* cell :
         {&row.verdict, &row.a, &row.b, &row.change, &row.interval, &row.p, &row.processes,
          &row.quantity, &row.what, &row.remark}) {
      text += " " + markdown_cell(*cell) + " |";
    }
    text += "\n";
  }
  text += "\n";
  for (const std::string& line : remarks(view)) text += "- " + markdown_cell(line) + "\n";
  for (const std::string& line : view.differences)
    text += "- differs: " + markdown_cell(line) + "\n";
  return text;
}

Json comparison_json(const ComparisonView& view) {
  const auto& comparison = view.comparison;
  Json counts = Json::object();
  for (const Verdict verdict : by_urgency)
    counts[decisions::name_of(verdict)] = count(view, verdict);
  Json json = {{"counts", std::move(counts)},
               {"level", view.options.rule.level},
               {"margin_ratio", view.options.rule.margin},
               {"adjustment", decisions::name_of(view.options.adjustment)},
               {"tests", comparison.tests},
               {"only_a", comparison.only_a.size()},
               {"only_b", comparison.only_b.size()},
               {"differences", view.differences},
               {"warnings", comparison.warnings},
               {"cases", Json::array()}};
  for (const ComparedCase* c : rows_of(view)) json["cases"].push_back(case_json(view, *c));
  return json;
}

}  // namespace hpclab::app
