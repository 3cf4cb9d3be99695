// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/result_table.hpp"

#include "core/units.hpp"
#include "hpclab/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

constexpr std::size_t max_rows = 200;

std::string cell_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("name")) return value["name"].get<std::string>();
  if (value.is_number_float()) return fmt::format("{:g}", value.get<double>());
  return value.dump();
}

std::string parameter_cell(const Study& study, const std::string& name, const Json& value) {
  for (const ParameterSpec& spec : study.parameters) {
    if (spec.name == name && spec.unit == "bytes" && value.is_number()) {
      return readable_bytes(value.get<double>());
    }
  }
  return cell_text(value);
}

// A prediction is shown inside the row of its measurement when there is one.
bool is_within(const Json& prediction, const Json& measurement) {
  const Json& values = measurement.value("values", Json::object());
  const std::string prefix = prediction["method"] == "model" ? "predicted_" : "simulated_";
  bool paired = false;
  for (const auto& [name, value] : prediction["values"].items()) {
    if (!values.contains(prefix + name)) continue;
    if (values[prefix + name] != value) return false;
    paired = true;
  }
  if (!paired) return false;
  for (const auto& [name, value] : prediction["parameters"].items()) {
    if (name == "machine") continue;
    const auto other = measurement["parameters"].find(name);
    if (other != measurement["parameters"].end() && *other != value) return false;
  }
  return true;
}

// Rows to show: measurements, and predictions that no measurement carries. Where something was
// measured, a prediction that does not exist (skipped) is no row of its own.
std::vector<const Json*> rows_of(const std::vector<const Json*>& records) {
  std::vector<const Json*> measured;
  for (const Json* record : records) {
    if ((*record)["method"] == "measure") measured.push_back(record);
  }
  std::vector<const Json*> rows;
  for (const Json* record : records) {
    if ((*record)["method"] != "measure" && !measured.empty()) {
      if ((*record)["status"] == "skipped") continue;
      if ((*record)["status"] == "ok" && measured.size() <= 4096 &&
          std::any_of(measured.begin(), measured.end(),
                      [&](const Json* m) { return is_within(*record, *m); })) {
        continue;
      }
    }
    rows.push_back(record);
  }
  return rows;
}

// Cases that answer different questions (another quantity, say) have other parameters and values:
// one table for each value of the study's inferred parameters on which others are conditioned.
std::string kind_of_case(const Study& study, const Json& record) {
  std::string kind;
  for (const ParameterSpec& spec : study.parameters) {
    if (!spec.inferred || spec.condition) continue;
    const auto value = record["parameters"].find(spec.name);
    if (value != record["parameters"].end()) kind += (kind.empty() ? "" : " ") + cell_text(*value);
  }
  return kind;
}

// Whether the value of a derived parameter differs where nothing else does: it was swept itself.
bool is_swept(const Study& study, const std::string& name, const std::vector<const Json*>& rows) {
  std::map<std::string, std::set<std::string>> values;
  for (const Json* row : rows) {
    std::string others = (*row)["method"].get<std::string>();
    for (const auto& [other, value] : (*row)["parameters"].items()) {
      const auto spec =
          std::find_if(study.parameters.begin(), study.parameters.end(),
                       [&other = other](const ParameterSpec& s) { return s.name == other; });
      if (spec == study.parameters.end() || !spec->derive) others += other + value.dump();
    }
    const auto own = (*row)["parameters"].find(name);
    if (own != (*row)["parameters"].end()) values[others].insert(own->dump());
  }
  return std::any_of(values.begin(), values.end(),
                     [](const auto& entry) { return entry.second.size() > 1; });
}

// Parameters worth a column: those whose value differs between rows and does not follow from
// others.
std::vector<std::string> varying_parameters(const Study& study,
                                            const std::vector<const Json*>& rows) {
  std::vector<std::string> names;
  for (const ParameterSpec& spec : study.parameters) {
    if (!spec.derive || is_swept(study, spec.name, rows)) names.push_back(spec.name);
  }
  names.emplace_back("machine");
  std::erase_if(names, [&](const std::string& name) {
    std::set<std::string> seen;
    for (const Json* row : rows) {
      const auto value = (*row)["parameters"].find(name);
      seen.insert(value == (*row)["parameters"].end() ? "" : value->dump());
    }
    return seen.size() < 2;
  });
  return names;
}

std::string interval_cell(const Json& record, const std::string& name, double value) {
  const auto intervals = record.find("interval95");
  if (intervals == record.end() || !intervals->contains(name)) return "";
  const Json& pair = (*intervals)[name];
  if (value == 0) return "";
  const double half = (pair[1].get<double>() - pair[0].get<double>()) / 2;
  const double ratio = std::abs(half / value);
  return ratio > 0.5 ? "unusable: > 50 %" : "+- " + readable_percent(ratio);
}

std::string value_cell(const Json& record, const std::string& name) {
  const auto values = record.find("values");
  if (values == record.end() || !values->contains(name)) return "";
  // predicted_X is printed like X
  return readable(name, (*values)[name].get<double>()).text();
}

std::string words_cell(const Json& record) {
  if (record["status"] != "ok") {
    return fmt::format("{}: {}", record["status"].get<std::string>(),
                       record["reason"].get<std::string>());
  }
  std::string words;
  if (const auto text = record.find("text"); text != record.end()) {
    for (const char* key : {"bound", "verdict"}) {
      if (text->contains(key))
        words += (words.empty() ? "" : "; ") + (*text)[key].get<std::string>();
    }
  }
  if (const auto notes = record.find("notes"); notes != record.end()) {
    for (const Json& note : *notes) {  // the first one will do here; the record has them all
      if (!note.get_ref<const std::string&>().starts_with("noisy")) continue;
      words += (words.empty() ? "" : "; ") + note.get<std::string>();
      break;
    }
  }
  return words;
}

// Predictions that do not exist beside measurements have no row; how many and why is said below the
// table.
std::string missing_predictions_text(const std::vector<const Json*>& records) {
  const bool measured = std::any_of(records.begin(), records.end(), [](const Json* record) {
    return (*record)["method"] == "measure";
  });
  if (!measured) return "";
  std::map<std::string, int> reasons;
  for (const Json* record : records) {
    if ((*record)["method"] != "measure" && (*record)["status"] == "skipped") {
      ++reasons[(*record)["reason"].get<std::string>()];
    }
  }
  std::string text;
  for (const auto& [reason, count] : reasons) {
    text +=
        fmt::format("  no prediction for {} case{}: {}\n", count, count == 1 ? "" : "s", reason);
  }
  return text;
}

std::string table_of(const Study& study, const std::vector<const Json*>& rows, bool color) {
  const std::vector<std::string> parameters = varying_parameters(study, rows);
  std::set<std::string> methods;
  for (const Json* row : rows) {
    methods.insert((*row)["method"].get<std::string>() +
                   ((*row)["backend"].is_null() ? "" : " " + (*row)["backend"].get<std::string>()));
  }
  TextTable table;
  for (const std::string& name : parameters) table.add_column(name);
  if (methods.size() > 1) table.add_column("method");
  for (const ValueSpec& value : study.values) {
    if (!value.headline) continue;
    const std::string stem = stem_of(value.name);
    table.add_column(stem, true);
    table.add_column("95 %");
    table.add_column("predicted", true);
    table.add_column("simulated", true);
  }
  table.add_column("error", true);
  table.add_column("");
  std::size_t shown = 0;
  for (const Json* row : rows) {
    if (++shown > max_rows) break;
    std::vector<std::string> cells;
    for (const std::string& name : parameters) {
      const auto value = (*row)["parameters"].find(name);
      cells.push_back(value == (*row)["parameters"].end() ? ""
                                                          : parameter_cell(study, name, *value));
    }
    if (methods.size() > 1) {
      cells.push_back((*row)["method"].get<std::string>() +
                      ((*row)["backend"].is_null() || (*row)["backend"] == "cpu"
                           ? ""
                           : " " + (*row)["backend"].get<std::string>()));
    }
    for (const ValueSpec& value : study.values) {
      if (!value.headline) continue;
      cells.push_back(value_cell(*row, value.name));
      cells.push_back(
          cells.back().empty()
              ? ""
              : interval_cell(*row, value.name, (*row)["values"][value.name].get<double>()));
      cells.push_back(value_cell(*row, "predicted_" + value.name));
      cells.push_back(value_cell(*row, "simulated_" + value.name));
    }
    cells.push_back(value_cell(*row, "error_ratio"));
    cells.push_back(words_cell(*row));
    table.add_row(std::move(cells));
  }
  std::string text = table.text(color);
  if (rows.size() > max_rows) {
    text += fmt::format("  ... {} more rows; --out keeps all of them\n", rows.size() - max_rows);
  }
  return text;
}

}  // namespace

std::string parameters_text(const Json& recorded) {
  std::string text;
  for (const auto& [name, value] : recorded.items()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, cell_text(value));
  }
  return text;
}

std::string result_table(const Study& study, const std::vector<Json>& records, bool color) {
  std::vector<std::string> kinds;
  std::map<std::string, std::vector<const Json*>> by_kind;
  for (const Json& record : records) {
    const std::string kind = kind_of_case(study, record);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    by_kind[kind].push_back(&record);
  }
  std::string text;
  for (const std::string& kind : kinds) {
    if (kinds.size() > 1)
      text += (text.empty() ? "" : "\n") + (color ? "\033[1m" + kind + "\033[0m" : kind) + "\n";
    text += table_of(study, rows_of(by_kind[kind]), color);
    text += missing_predictions_text(by_kind[kind]);
  }
  return text;
}

}  // namespace hpclab::app
