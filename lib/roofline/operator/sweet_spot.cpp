// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/sweet_spot.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::roofline::operator_ {
namespace {

constexpr std::size_t most_lines = 8;

bool is_answer(const Json& record) {
  return record["status"] == "ok" && record["values"].contains("time_per_dof_ps");
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object()) return value.value("name", std::string());
  return value.dump();
}

// Parameters as far as they do not follow from the degree: points a direction by their excess.
std::map<std::string, std::string> settings_of(const Json& record, bool with_elements) {
  std::map<std::string, std::string> settings;
  const Json& parameters = record["parameters"];
  for (const auto& [name, value] : parameters.items()) {
    if (name == "degree" || (name == "elements" && !with_elements)) continue;
    if (name == "quadrature") {
      const auto excess = value.get<int>() - parameters["degree"].get<int>();
      settings[name] = fmt::format("p + {}", excess);
    } else {
      settings[name] = text_of(value);
    }
  }
  return settings;
}

// The settings that differ between records, as "operator=bp5 geometry=affine".
class Labels {
 public:
  Labels(const std::vector<Json>& records, bool with_elements) : with_elements_(with_elements) {
    std::map<std::string, std::set<std::string>> seen;
    for (const Json& record : records) {
      if (!is_answer(record)) continue;
      for (const auto& [name, value] : settings_of(record, with_elements)) seen[name].insert(value);
    }
    for (const auto& [name, values] : seen)
      if (values.size() > 1) varying_.insert(name);
  }

  std::string of(const Json& record) const {
    std::string label;
    for (const auto& [name, value] : settings_of(record, with_elements_)) {
      if (varying_.contains(name))
        label += fmt::format("{}{}={}", label.empty() ? "" : " ", name, value);
    }
    return label;
  }

 private:
  bool with_elements_;
  std::set<std::string> varying_;
};

struct Series {
  std::map<int, const Json*> predicted;
  std::map<int, const Json*> measured;
  bool repeats = false;  // a degree came twice: something else is swept as well
};

std::map<std::string, Series> series_of(const std::vector<Json>& records, bool with_elements) {
  const Labels labels(records, with_elements);
  std::map<std::string, Series> found;
  for (const Json& record : records) {
    if (!is_answer(record)) continue;
    Series& series = found[labels.of(record)];
    auto& points = record["method"] == "measure" ? series.measured : series.predicted;
    const int degree = record["parameters"]["degree"].get<int>();
    series.repeats |= !points.emplace(degree, &record).second;
  }
  return found;
}

double time_of(const Json& record) {
  return record["values"]["time_per_dof_ps"].get<double>();
}

int best_degree(const std::map<int, const Json*>& points) {
  return std::min_element(
             points.begin(), points.end(),
             [](const auto& a, const auto& b) { return time_of(*a.second) < time_of(*b.second); })
      ->first;
}

std::string line_of(const std::string& label, const Series& series) {
  const bool has_measured = series.measured.size() > 1;
  const auto& points = has_measured ? series.measured : series.predicted;
  const int degree = best_degree(points);
  std::string line = label.empty() ? "" : label + ": ";
  line += fmt::format("sweet spot p = {}, {:.4g} ps/DOF", degree, time_of(*points.at(degree)));
  if (!has_measured) line += " predicted";
  if (has_measured && series.predicted.size() > 1)
    line += fmt::format(" (predicted p = {})", best_degree(series.predicted));
  const auto prediction = series.predicted.find(degree);
  if (prediction != series.predicted.end()) {
    const Json& text = (*prediction->second)["text"];
    line += fmt::format("; bound by {}, the next limit is {}", text_of(text["bound"]),
                        text_of(text["next_limit"]));
  }
  return line;
}

}  // namespace

std::vector<std::string> conclude(const RunSummary& summary) {
  auto found = series_of(summary.records, false);
  const bool repeats = std::any_of(found.begin(), found.end(),
                                   [](const auto& entry) { return entry.second.repeats; });
  if (repeats) found = series_of(summary.records, true);
  std::vector<std::string> lines;
  for (const auto& [label, series] : found) {
    if (std::max(series.measured.size(), series.predicted.size()) < 2) continue;
    if (lines.size() == most_lines) {
      lines.emplace_back("further series are in the records");
      break;
    }
    lines.push_back(line_of(label, series));
  }
  const auto unpredicted =
      std::count_if(summary.records.begin(), summary.records.end(), [](const Json& record) {
        return record["method"] == "measure" && is_answer(record) &&
               !record["values"].contains("model_error_ratio");
      });
  const bool modelled = std::any_of(
      summary.records.begin(), summary.records.end(),
      [](const Json& record) { return record["method"] == "model" && is_answer(record); });
  if (unpredicted > 0 && modelled) {
    lines.push_back(fmt::format(
        "{} measurement{} without a prediction for this machine: measure its profile with hpclab "
        "roofline ceilings, or give one by --machine",
        unpredicted, unpredicted == 1 ? "" : "s"));
  }
  return lines;
}

}  // namespace hpclab::roofline::operator_
