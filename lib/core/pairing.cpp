// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/pairing.hpp"

#include <nlohmann/json.hpp>

namespace hpclab {

std::optional<double> error_ratio(double measured, double predicted) {
  if (predicted == 0) return std::nullopt;
  return measured / predicted - 1;
}

void PredictionBook::add(const Case& c, const Json& record) {
  if (c.method == Method::measure || record["status"] != "ok") return;
  const auto key = c.pairing.find(c.method);
  if (key != c.pairing.end()) by_key_.try_emplace(key->second, record);
}

void PredictionBook::pair(const Case& c, Result& result) const {
  const std::string first_headline = [&] {
    for (const ValueSpec& value : c.study->values) {
      if (value.headline && result.value(value.name)) return value.name;
    }
    return std::string();
  }();
  for (const auto& [method, prefix, error_name] :
       {std::tuple{Method::model, "predicted_", "error_ratio"},
        std::tuple{Method::simulate, "simulated_", "simulation_error_ratio"}}) {
    const auto key = c.pairing.find(method);
    if (key == c.pairing.end()) continue;
    const auto found = by_key_.find(key->second);
    if (found == by_key_.end()) continue;
    const Json& prediction = found->second;
    const Json intervals = prediction.value("interval95", Json::object());
    for (const auto& [name, predicted] : prediction["values"].items()) {
      const auto measured = result.value(name);
      if (!measured) continue;
      result.set_value(prefix + name, predicted.get<double>());
      if (const auto interval = intervals.find(name); interval != intervals.end()) {
        result.set_interval(prefix + name, (*interval)[0].get<double>(),
                            (*interval)[1].get<double>());
      }
      if (name != first_headline) continue;
      if (const auto error = error_ratio(*measured, predicted.get<double>())) {
        result.set_value(result.value("error_ratio") ? error_name : "error_ratio", *error);
      }
    }
    if (const auto machine = prediction["parameters"].find("machine");
        machine != prediction["parameters"].end()) {
      if (machine->is_object())
        result.set_text("predicted_for", (*machine)["name"].get<std::string>());
    }
    if (method == Method::model && c.study->compare) c.study->compare(prediction, result);
  }
}

}  // namespace hpclab
