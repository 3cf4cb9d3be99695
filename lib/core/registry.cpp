// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/registry.hpp"

#include "core/nearest_name.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace hpclab {
namespace {

void require(bool holds, const Study& study, const std::string& what) {
  if (!holds) throw std::logic_error("study " + study.full_name() + ": " + what);
}

bool is_identifier(const std::string& name) {
  if (name.empty() || name[0] < 'a' || name[0] > 'z') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// No parameter may depend on itself, directly or through others.
void check_condition(const Study& study, const ParameterSpec& spec) {
  if (!spec.condition) return;
  const ParameterSpec& other =
      find_parameter(study.parameters, spec.condition->parameter, study.name);
  require(other.type == ParameterType::choice, study,
          "condition of " + spec.name + " on " + other.name + ", which is no choice");
  const ParameterSpec* at = &other;
  for (std::size_t steps = 0; at->condition; ++steps) {
    require(at->condition->parameter != spec.name && steps < study.parameters.size(), study,
            spec.name + " is conditioned on itself");
    at = &find_parameter(study.parameters, at->condition->parameter, study.name);
  }
  for (const std::string& value : spec.condition->values) {
    other.check(value, "condition of " + spec.name);
  }
}

void check_declaration(const Study& study) {
  require(is_identifier(study.lab) && is_identifier(study.name), study,
          "lower-case names are needed");
  require(!study.question.empty(), study, "it asks no question");
  require(!study.methods().empty(), study, "it has no method");
  require(!study.measure || !study.backends.empty(), study, "measure needs a backend");
  std::set<std::string> names;
  const auto& reserved = reserved_option_names();
  for (const ParameterSpec& spec : study.parameters) {
    require(is_identifier(spec.name), study, "bad parameter name '" + spec.name + "'");
    require(names.insert(spec.name).second, study, "parameter '" + spec.name + "' declared twice");
    require(std::find(reserved.begin(), reserved.end(), spec.name) == reserved.end(), study,
            "parameter '" + spec.name + "' has the name of a global option");
    require(!spec.help.empty(), study, "parameter '" + spec.name + "' has no sentence");
    spec.check(spec.default_value, "default of " + spec.name);
    require(!spec.inferred || spec.type == ParameterType::choice, study,
            "parameter '" + spec.name + "' is inferred but no choice");
    check_condition(study, spec);
    for (Backend backend : spec.backends) {
      require(
          std::find(study.backends.begin(), study.backends.end(), backend) != study.backends.end(),
          study, "parameter '" + spec.name + "' is for a backend that the study lacks");
    }
  }
  names.clear();
  for (const ValueSpec& value : study.values) {
    require(is_identifier(value.name), study, "bad value name '" + value.name + "'");
    require(names.insert(value.name).second, study, "value '" + value.name + "' declared twice");
    require(!value.meaning.empty(), study, "value '" + value.name + "' has no meaning");
  }
  require(!study.values.empty(), study, "it declares no value");
}

}  // namespace

const std::vector<std::string>& reserved_option_names() {
  static const std::vector<std::string> names{
      "config",    "set",          "method",      "backend",   "out",     "machine", "seed",
      "trace",     "json",         "help",        "zip",       "exclude", "resume",  "shard",
      "jobs",      "dry_run",      "stop",        "quiet",     "color",   "verbose", "profile",
      "max_cases", "retry_failed", "time_budget", "log_level", "version"};
  return names;
}

void Registry::add(Study study) {
  try {
    check_declaration(study);
  } catch (const UsageError& error) {  // the author's mistake, not the user's
    throw std::logic_error("study " + study.full_name() + ": " + error.what());
  }
  for (const Study& other : studies_) {
    if (other.full_name() == study.full_name()) {
      throw std::logic_error("study registered twice: " + study.full_name());
    }
  }
  studies_.push_back(std::move(study));
}

std::vector<std::string> Registry::labs() const {
  std::vector<std::string> names;
  for (const Study& study : studies_) {
    if (std::find(names.begin(), names.end(), study.lab) == names.end()) names.push_back(study.lab);
  }
  return names;
}

std::vector<const Study*> Registry::studies_of(std::string_view lab) const {
  std::vector<const Study*> found;
  for (const Study& study : studies_) {
    if (study.lab == lab) found.push_back(&study);
  }
  return found;
}

const Study& Registry::find(std::string_view lab, std::string_view name,
                            const std::string& where) const {
  const auto of_lab = studies_of(lab);
  if (of_lab.empty()) {
    throw UsageError(where + ": unknown lab '" + std::string(lab) + "'" + suggestion(lab, labs()));
  }
  std::vector<std::string> names;
  for (const Study* study : of_lab) {
    if (study->name == name) return *study;
    names.push_back(study->name);
  }
  throw UsageError(where + ": lab '" + std::string(lab) + "' has no study '" + std::string(name) +
                   "'" + suggestion(name, names));
}

void Registry::set_backend_check(Backend backend, BackendCheck check) {
  checks_[backend] = std::move(check);
}

std::optional<NotAvailable> Registry::why_not(Backend backend) const {
  const auto found = checks_.find(backend);
  if (found == checks_.end()) return std::nullopt;
  return found->second();
}

}  // namespace hpclab
