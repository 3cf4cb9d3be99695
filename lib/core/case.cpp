// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/case.hpp"

#include "core/record.hpp"
#include "core/sha256.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {
namespace {

// One dimension of the grid: parameters that advance together.
struct Dimension {
  std::vector<std::string> names;
  std::vector<const std::vector<Json>*> values;
  std::size_t size() const { return values.front()->size(); }
};

std::vector<Dimension> dimensions_of(const Experiment& experiment) {
  std::vector<Dimension> dimensions;
  std::unordered_set<std::string> placed;
  for (const auto& [name, axis] : experiment.axes) {
    if (placed.contains(name)) continue;
    Dimension dimension{{name}, {&axis}};
    for (const auto& group : experiment.zips) {
      if (std::find(group.begin(), group.end(), name) == group.end()) continue;
      for (const std::string& other : group) {
        if (other == name) continue;
        const std::vector<Json>* values = experiment.find_axis(other);
        if (!values || values->size() != axis.size()) {
          throw UsageError(
              fmt::format("zip: '{}' has {} values and '{}' has {}; they must be as many", name,
                          axis.size(), other, values ? values->size() : 0));
        }
        dimension.names.push_back(other);
        dimension.values.push_back(values);
      }
    }
    placed.insert(dimension.names.begin(), dimension.names.end());
    dimensions.push_back(std::move(dimension));
  }
  for (const auto& group : experiment.zips) {
    for (const std::string& name : group) {
      if (!experiment.find_axis(name))
        throw UsageError(fmt::format("zip: '{}' is given no values", name));
    }
  }
  return dimensions;
}

std::uint64_t product_of(const std::vector<Dimension>& dimensions, std::size_t factor) {
  long double product = static_cast<long double>(factor);
  for (const Dimension& dimension : dimensions)
    product *= static_cast<long double>(dimension.size());
  return product > 1e18L ? static_cast<std::uint64_t>(1e18) : static_cast<std::uint64_t>(product);
}

// A condition may rest on a parameter that has one itself: read_fraction on kind = mix, kind on
// quantity = bandwidth.
bool condition_holds(const std::vector<ParameterSpec>& specs, const ParameterSpec& spec,
                     const Json& parameters) {
  if (!spec.condition) return true;
  const auto value = parameters.find(spec.condition->parameter);
  if (value == parameters.end() || !value->is_string()) return false;
  const auto& allowed = spec.condition->values;
  if (std::find(allowed.begin(), allowed.end(), value->get_ref<const std::string&>()) ==
      allowed.end()) {
    return false;
  }
  return condition_holds(specs, find_parameter(specs, spec.condition->parameter, "condition"),
                         parameters);
}

// A rule about a parameter that has no meaning at this point says nothing about it.
bool applies(const std::vector<ParameterSpec>& specs, const Expression& rule,
             const Json& parameters) {
  return std::all_of(specs.begin(), specs.end(), [&](const ParameterSpec& spec) {
    return !rule.names().contains(spec.name) || condition_holds(specs, spec, parameters);
  });
}

// The choices of `spec` with which the given parameter has a meaning; nullptr when it does not
// depend on it.
const std::vector<std::string>* choices_needed_by(const std::vector<ParameterSpec>& specs,
                                                  const ParameterSpec& given,
                                                  const ParameterSpec& spec) {
  for (const ParameterSpec* at = &given; at->condition;
       at = &find_parameter(specs, at->condition->parameter, "condition")) {
    if (at->condition->parameter == spec.name) return &at->condition->values;
  }
  return nullptr;
}

// The choice of an inferred parameter that fits all given ones: its default when that fits, else
// the only one that does.
Json infer(const ParameterSpec& spec, const Experiment& experiment) {
  std::vector<std::string> fitting = spec.choices;
  std::string because;
  const auto& specs = experiment.study->parameters;
  for (const auto& [name, values] : experiment.axes) {
    const auto* allowed = choices_needed_by(specs, find_parameter(specs, name, "parameters"), spec);
    if (!allowed) continue;
    because += (because.empty() ? "" : ", ") + name;
    std::erase_if(fitting, [&](const std::string& choice) {
      return std::find(allowed->begin(), allowed->end(), choice) == allowed->end();
    });
  }
  const std::string fallback = spec.default_value.get<std::string>();
  if (std::find(fitting.begin(), fitting.end(), fallback) != fitting.end()) return fallback;
  if (fitting.size() == 1) return fitting.front();
  throw UsageError(fmt::format("'{}' does not follow from {}: {}; give {} ({})", spec.name, because,
                               fitting.empty() ? "they belong to different ones" : "several fit",
                               spec.name, spec.domain_text()));
}

Json full_parameters(const Experiment& experiment, const Json& point) {
  Json parameters = Json::object();
  for (const ParameterSpec& spec : experiment.study->parameters) {
    Json value = spec.default_value;
    if (const auto given = point.find(spec.name); given != point.end()) {
      value = *given;
    } else if (spec.inferred) {
      value = infer(spec, experiment);
    }
    if (spec.resolve) value = spec.resolve(value);
    if (spec.derive) value = spec.derive(value, parameters);
    parameters[spec.name] = value;
  }
  return parameters;
}

class Expander {
 public:
  Expander(const Registry& registry, const ExpansionOptions& options)
      : registry_(registry), options_(options) {}

  void expand(const Experiment& experiment) {
    const std::vector<Method> methods = checked_methods(experiment);
    const std::vector<Backend> backends = checked_backends(experiment, methods);
    const std::vector<Dimension> dimensions = dimensions_of(experiment);
    const std::uint64_t points = product_of(dimensions, 1);
    const std::uint64_t total = product_of(dimensions, methods.size() + backends.size());
    if (total > options_.max_cases || list_.cases.size() + total > 2 * options_.max_cases) {
      throw UsageError(
          fmt::format("{} {}: the axes make {}{} cases, more than the limit of {}; narrow them, "
                      "add --exclude or --zip, or raise --max-cases",
                      experiment.study->lab, experiment.study->name, total,
                      total >= 1'000'000'000'000'000'000 ? " or more" : "", options_.max_cases));
    }
    used_.clear();
    for (std::uint64_t i = 0; i < points; ++i) {
      if (i % 1024 == 0) options_.stop.throw_if_requested();
      add_point(experiment, methods, backends, point_at(dimensions, i));
    }
    for (const auto& [name, axis] : experiment.axes) {
      if (!used_.contains(name)) list_.unused.push_back(name);
    }
  }

  CaseList finish() {
    std::stable_partition(list_.cases.begin(), list_.cases.end(),
                          [](const Case& c) { return c.method != Method::measure; });
    return std::move(list_);
  }

 private:
  std::vector<Method> checked_methods(const Experiment& experiment) const {
    const std::vector<Method> has = experiment.study->methods();
    for (Method method : experiment.methods) {
      if (!experiment.study->has(method)) {
        std::string names;
        for (Method m : has) names += (names.empty() ? "" : ", ") + name_of(m);
        throw UsageError(fmt::format("{} {} has no method '{}'; it has: {}", experiment.study->lab,
                                     experiment.study->name, name_of(method), names));
      }
    }
    return experiment.methods.empty() ? has : experiment.methods;
  }

  std::vector<Backend> checked_backends(const Experiment& experiment,
                                        const std::vector<Method>& methods) {
    const Study& study = *experiment.study;
    if (std::find(methods.begin(), methods.end(), Method::measure) == methods.end()) {
      if (experiment.backends.empty()) return {};
      throw UsageError(
          fmt::format("{} {}: a backend is given but 'measure' is not among the methods", study.lab,
                      study.name));
    }
    for (Backend backend : experiment.backends) {
      if (std::find(study.backends.begin(), study.backends.end(), backend) ==
          study.backends.end()) {
        std::string names;
        for (Backend b : study.backends) names += (names.empty() ? "" : ", ") + name_of(b);
        throw NotAvailable(fmt::format("{} {} does not measure on backend '{}'", study.lab,
                                       study.name, name_of(backend)),
                           "It has: " + names);
      }
      if (const auto why = registry_.why_not(backend); why && !options_.skip_unavailable)
        throw *why;
    }
    if (!experiment.backends.empty()) return experiment.backends;
    for (Backend backend : study.backends) {
      if (!registry_.why_not(backend)) return {backend};
    }
    if (options_.skip_unavailable) return {study.backends.front()};
    throw *registry_.why_not(study.backends.front());
  }

  static Json point_at(const std::vector<Dimension>& dimensions, std::uint64_t index) {
    Json point = Json::object();
    for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension) {
      const std::size_t at = index % dimension->size();
      index /= dimension->size();
      for (std::size_t i = 0; i < dimension->names.size(); ++i) {
        point[dimension->names[i]] = (*dimension->values[i])[at];
      }
    }
    return point;
  }

  // The point once for each value of its first parameter that lists its own; false when there is
  // none.
  bool add_listed(const Experiment& experiment, const std::vector<Method>& methods,
                  const std::vector<Backend>& backends, const Json& point) {
    for (const ParameterSpec& spec : experiment.study->parameters) {
      if (!spec.list || point.contains(spec.name)) continue;
      const Json parameters = full_parameters(experiment, point);
      if (!condition_holds(experiment.study->parameters, spec, parameters)) continue;
      const std::vector<Json> values = spec.list(parameters);
      if (list_.cases.size() + values.size() > 2 * options_.max_cases) {
        throw UsageError(fmt::format(
            "{} {}: {} values of '{}', more than the limit of {} cases; choose some by {}=..., or "
            "raise --max-cases",
            experiment.study->lab, experiment.study->name, values.size(), spec.name,
            options_.max_cases, spec.name));
      }
      Json listed = point;
      for (const Json& value : values) {
        options_.stop.throw_if_requested();
        listed[spec.name] = value;
        add_point(experiment, methods, backends, listed);
      }
      return true;
    }
    return false;
  }

  void add_point(const Experiment& experiment, const std::vector<Method>& methods,
                 const std::vector<Backend>& backends, const Json& point) {
    if (add_listed(experiment, methods, backends, point)) return;
    const Json parameters = full_parameters(experiment, point);
    const auto& study_parameters = experiment.study->parameters;
    for (const Expression& exclude : experiment.excludes) {
      if (applies(study_parameters, exclude, parameters) && exclude.holds(parameters)) {
        ++list_.excluded;
        return;
      }
    }
    for (Method method : methods) {
      if (method == Method::measure) {
        for (Backend backend : backends) add_case(experiment, method, backend, parameters, nullptr);
      } else if (experiment.study->reads_machine_profile) {
        for (const MachineReference& machine : machines_of(experiment)) {
          add_case(experiment, method, std::nullopt, parameters, &machine);
        }
      } else {
        add_case(experiment, method, std::nullopt, parameters, nullptr);
      }
    }
  }

  const std::vector<MachineReference>& machines_of(const Experiment& experiment) {
    std::vector<MachineReference>& found = machines_[&experiment];
    if (found.empty()) {
      if (experiment.machines.empty())
        found.push_back(options_.find_machine(experiment.study->default_machine));
      for (const std::string& name : experiment.machines)
        found.push_back(options_.find_machine(name));
    }
    return found;
  }

  void add_case(const Experiment& experiment, Method method, std::optional<Backend> backend,
                const Json& parameters, const MachineReference* machine) {
    const Study& study = *experiment.study;
    Case c;
    c.study = &study;
    c.method = method;
    c.backend = backend;
    c.seed = experiment.seed;
    c.stopping_rule = experiment.stopping_rule;
    c.from_defaults = experiment.from_defaults;
    c.parameters = Json::object();
    c.recorded = Json::object();
    for (const ParameterSpec& spec : study.parameters) {
      if (!spec.has_method(method) || !spec.has_backend(backend) ||
          !condition_holds(study.parameters, spec, parameters)) {
        continue;
      }
      used_.insert(spec.name);
      c.parameters[spec.name] = parameters[spec.name];
      c.recorded[spec.name] = recorded_value(spec, parameters[spec.name]);
    }
    if (machine) {
      c.machine = *machine;
      c.recorded["machine"] = {{"name", machine->name}, {"sha256", machine->sha256}};
    }
    c.id = case_id(study.lab, study.name, name_of(method),
                   backend ? Json(name_of(*backend)) : Json(nullptr), c.recorded, c.seed);
    if (!seen_.insert(c.id).second) {
      ++list_.duplicates;
      return;
    }
    if (backend) {
      if (const auto why = registry_.why_not(*backend)) c.skip_reason = why->what();
    }
    const std::string family =
        study.family ? study.family(machine ? machine->profile.get() : nullptr, backend) : "";
    for (Method predictor : {Method::model, Method::simulate}) {
      if (method != Method::measure && method != predictor) continue;
      nlohmann::json shared = nlohmann::json::object();
      for (const ParameterSpec& spec : study.parameters) {
        if (spec.has_method(predictor) && spec.has_method(Method::measure) &&
            condition_holds(study.parameters, spec, parameters)) {
          shared[spec.name] = parameters[spec.name];
        }
      }
      c.pairing[predictor] = fmt::format("{}/{}/{}/{}/{}", study.full_name(), name_of(predictor),
                                         c.seed, family, shared.dump());
    }
    list_.cases.push_back(std::move(c));
  }

  Json recorded_value(const ParameterSpec& spec, const Json& value) {
    if (spec.type != ParameterType::file || value.get_ref<const std::string&>().empty())
      return value;
    const std::filesystem::path path = value.get<std::string>();
    auto [digest, fresh] = digests_.try_emplace(path.string());
    if (fresh) digest->second = sha256_of_file(path);
    return {{"name", spec.label ? spec.label(path) : path.filename().string()},
            {"sha256", digest->second}};
  }

  const Registry& registry_;
  const ExpansionOptions& options_;
  CaseList list_;
  std::unordered_set<std::string> seen_;
  std::unordered_set<std::string> used_;  // parameters of any case of the experiment at hand
  std::unordered_map<std::string, std::string> digests_;
  std::unordered_map<const Experiment*, std::vector<MachineReference>> machines_;
};

}  // namespace

std::string case_id(const std::string& lab, const std::string& study, const std::string& method,
                    const Json& backend, const Json& recorded_parameters, std::uint64_t seed) {
  const nlohmann::json sorted =
      recorded_parameters;  // std::map order: independent of declaration order
  const std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", lab, study, method,
                                       backend.dump(), sorted.dump(), seed, schema_major);
  return sha256_hex(text).substr(0, 16);
}

CaseList expand(const std::vector<Experiment>& experiments, const Registry& registry,
                const ExpansionOptions& options) {
  Expander expander(registry, options);
  for (const Experiment& experiment : experiments) expander.expand(experiment);
  CaseList list = expander.finish();
  if (list.cases.empty()) {
    throw UsageError(
        fmt::format("no case is left: all {} grid points are excluded", list.excluded));
  }
  if (list.cases.size() > options.max_cases) {
    throw UsageError(
        fmt::format("the experiments make {} cases, more than the limit of {}; raise --max-cases",
                    list.cases.size(), options.max_cases));
  }
  return list;
}

std::vector<Case> shard_of(std::vector<Case> cases, std::uint64_t index, std::uint64_t count) {
  // A shard is chosen by the key that a measurement shares with its model (or else simulation), so
  // that pairing works within the shard's own file.
  std::unordered_map<std::string, std::uint64_t> group_of;
  std::vector<Case> chosen;
  for (Case& c : cases) {
    std::string key = c.id;
    for (Method predictor : {Method::simulate, Method::model}) {
      if (c.study->has(predictor) && c.pairing.contains(predictor)) {
        key = c.pairing[predictor].substr(c.pairing[predictor].find('{'));
      }
    }
    const std::uint64_t group =
        group_of.try_emplace(c.study->full_name() + key, group_of.size()).first->second;
    if (group % count == index) chosen.push_back(std::move(c));
  }
  return chosen;
}

}  // namespace hpclab
