// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/experiment.hpp"

#include "core/axis.hpp"
#include "core/error.hpp"
#include "core/json_file.hpp"
#include "core/nearest_name.hpp"
#include "core/stopping_rule.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {
namespace {

const Json& require_object(const Json& value, const std::string& where,
                           const std::string& pointer) {
  if (!value.is_object()) {
    throw UsageError(
        fmt::format("{}: {}: an object is needed", where, pointer.empty() ? "/" : pointer));
  }
  return value;
}

std::string required_text(const Json& object, const char* key, const std::string& where,
                          const std::string& pointer) {
  const auto found = object.find(key);
  if (found == object.end())
    throw UsageError(fmt::format("{}: {}/{} is missing", where, pointer, key));
  if (!found->is_string())
    throw UsageError(fmt::format("{}: {}/{}: text is needed", where, pointer, key));
  return found->get<std::string>();
}

// "x" and ["x", "y"] are both accepted where a list of words is needed.
std::vector<std::string> words(const Json& value, const std::string& where,
                               const std::string& pointer) {
  if (value.is_string()) return {value.get<std::string>()};
  if (!value.is_array())
    throw UsageError(fmt::format("{}: {}: a list of words is needed", where, pointer));
  std::vector<std::string> result;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_string())
      throw UsageError(fmt::format("{}: {}/{}: text is needed", where, pointer, i));
    result.push_back(value[i].get<std::string>());
  }
  return result;
}

// The part of a configuration that default experiments have too.
void read_axes(Experiment& experiment, const Json& object, const std::string& where,
               const std::string& pointer) {
  if (const auto parameters = object.find("parameters"); parameters != object.end()) {
    require_object(*parameters, where, pointer + "/parameters");
    for (const auto& [name, value] : parameters->items()) {
      const std::string place = pointer + "/parameters/" + name;
      const ParameterSpec& spec =
          find_parameter(experiment.study->parameters, name, where + ": " + place);
      experiment.set_axis(name, axis_from_json(spec, value, where, place));
    }
  }
  if (const auto zip = object.find("zip"); zip != object.end()) {
    if (!zip->is_array())
      throw UsageError(fmt::format("{}: {}/zip: a list of lists is needed", where, pointer));
    for (std::size_t i = 0; i < zip->size(); ++i) {
      const std::string place = fmt::format("{}/zip/{}", pointer, i);
      experiment.add_zip(words((*zip)[i], where, place), where + ": " + place);
    }
  }
  if (const auto exclude = object.find("exclude"); exclude != object.end()) {
    for (const std::string& rule : words(*exclude, where, pointer + "/exclude")) {
      experiment.add_exclude(rule, fmt::format("{}: {}/exclude", where, pointer));
    }
  }
}

Experiment read_experiment(const Json& object, const Registry& registry, const std::string& where,
                           const std::string& pointer) {
  require_object(object, where, pointer);
  require_known_keys(object,
                     {"$schema", "comment", "lab", "study", "method", "backend", "parameters",
                      "zip", "exclude", "machine", "seed", "stop"},
                     where, pointer);
  Experiment experiment;
  const std::string lab = required_text(object, "lab", where, pointer);
  const std::string study = required_text(object, "study", where, pointer);
  experiment.study = &registry.find(lab, study, where + ": " + pointer + "/study");
  if (const auto method = object.find("method"); method != object.end()) {
    for (const std::string& name : words(*method, where, pointer + "/method")) {
      experiment.methods.push_back(parse_method(name, where + ": " + pointer + "/method"));
    }
  }
  if (const auto backend = object.find("backend"); backend != object.end()) {
    for (const std::string& name : words(*backend, where, pointer + "/backend")) {
      experiment.backends.push_back(parse_backend(name, where + ": " + pointer + "/backend"));
    }
  }
  if (const auto machine = object.find("machine"); machine != object.end()) {
    experiment.machines = words(*machine, where, pointer + "/machine");
  }
  if (const auto seed = object.find("seed"); seed != object.end()) {
    if (!seed->is_number_integer() || seed->get<std::int64_t>() < 0 ||
        seed->get<std::uint64_t>() > (1ull << 53)) {
      throw UsageError(
          fmt::format("{}: {}/seed: a whole number from 0 to 2^53 is needed", where, pointer));
    }
    experiment.seed = seed->get<std::uint64_t>();
  }
  if (object.contains("stop")) {
    experiment.stopping_rule = required_text(object, "stop", where, pointer);
    try {  // a wrong rule is refused before anything runs
      parse_stopping_rule(experiment.stopping_rule);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}/stop: {}", where, pointer, error.what()));
    }
  }
  read_axes(experiment, object, where, pointer);
  return experiment;
}

}  // namespace

void Experiment::set_axis(const std::string& parameter, std::vector<Json> values) {
  const ParameterSpec& spec = find_parameter(study->parameters, parameter, "axis");
  if (spec.expand) {
    std::vector<Json> expanded;
    for (const Json& value : values) {
      for (Json& one : spec.expand(value)) expanded.push_back(std::move(one));
    }
    values = std::move(expanded);
  }
  for (auto& [name, existing] : axes) {
    if (name == parameter) {
      existing = std::move(values);
      return;
    }
  }
  axes.emplace_back(parameter, std::move(values));
}

const std::vector<Json>* Experiment::find_axis(std::string_view parameter) const {
  for (const auto& [name, values] : axes) {
    if (name == parameter) return &values;
  }
  return nullptr;
}

void Experiment::set_from_text(std::string_view assignments, const std::string& where) {
  for (const auto& [given, axis] : split_assignments(assignments, where)) {
    std::string name = given;
    std::replace(name.begin(), name.end(), '-', '_');  // as the options are spelt
    const ParameterSpec& spec = find_parameter(study->parameters, name, where);
    set_axis(name, parse_axis(spec, axis, where + " " + name));
  }
}

void Experiment::add_zip(std::vector<std::string> names, const std::string& where) {
  if (names.size() < 2) throw UsageError(where + ": a zip group needs at least two parameters");
  for (const std::string& name : names) {
    find_parameter(study->parameters, name, where);
    if (std::count(names.begin(), names.end(), name) > 1)
      throw UsageError(fmt::format("{}: '{}' is named twice", where, name));
    for (const auto& group : zips) {
      if (std::find(group.begin(), group.end(), name) != group.end()) {
        throw UsageError(fmt::format("{}: '{}' is in two zip groups", where, name));
      }
    }
  }
  zips.push_back(std::move(names));
}

void Experiment::add_exclude(std::string_view text, const std::string& where) {
  Expression expression(text, where);
  std::vector<std::string> parameters;
  for (const ParameterSpec& spec : study->parameters) parameters.push_back(spec.name);
  for (const std::string& name : expression.names()) {
    const bool known = std::any_of(
        study->parameters.begin(), study->parameters.end(), [&](const ParameterSpec& spec) {
          return spec.name == name ||
                 std::find(spec.choices.begin(), spec.choices.end(), name) != spec.choices.end();
        });
    if (!known) {
      throw UsageError(fmt::format("{}: '{}' in '{}' is no parameter and no choice of one{}", where,
                                   name, text, suggestion(name, parameters)));
    }
  }
  excludes.push_back(std::move(expression));
}

std::vector<Experiment> experiments_from_json(const Json& document, const Registry& registry,
                                              const std::string& where) {
  require_object(document, where, "");
  std::vector<Experiment> experiments;
  const auto list = document.find("experiments");
  if (list == document.end()) {
    experiments.push_back(read_experiment(document, registry, where, ""));
    return experiments;
  }
  require_known_keys(document, {"$schema", "comment", "experiments"}, where, "");
  if (!list->is_array() || list->empty()) {
    throw UsageError(where + ": /experiments: a list with at least one experiment is needed");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    experiments.push_back(
        read_experiment((*list)[i], registry, where, fmt::format("/experiments/{}", i)));
  }
  return experiments;
}

std::vector<Experiment> default_experiments(const Study& study) {
  std::vector<Experiment> experiments;
  for (std::size_t i = 0; i < study.default_experiments.size(); ++i) {
    Experiment experiment;
    experiment.study = &study;
    experiment.from_defaults = true;
    read_axes(experiment, study.default_experiments[i], study.full_name() + " defaults",
              fmt::format("/{}", i));
    experiments.push_back(std::move(experiment));
  }
  if (experiments.empty()) {
    Experiment experiment;
    experiment.study = &study;
    experiments.push_back(std::move(experiment));
  }
  return experiments;
}

}  // namespace hpclab
