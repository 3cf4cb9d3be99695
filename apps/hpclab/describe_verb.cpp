// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/record.hpp"
#include "core/schema.hpp"
#include "hpclab/help.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

Json parameter_json(const ParameterSpec& spec) {
  Json json = {{"name", spec.name},
               {"type", name_of(spec.type)},
               {"default", spec.default_value},
               {"help", spec.help}};
  if (!spec.unit.empty()) json["unit"] = spec.unit;
  if (std::isfinite(spec.minimum)) json["minimum"] = spec.minimum;
  if (std::isfinite(spec.maximum)) json["maximum"] = spec.maximum;
  if (!spec.choices.empty()) json["choices"] = spec.choices;
  if (!spec.methods.empty()) {
    for (Method method : spec.methods) json["methods"].push_back(name_of(method));
  }
  if (!spec.backends.empty()) {
    for (Backend backend : spec.backends) json["backends"].push_back(name_of(backend));
  }
  if (spec.condition) {
    json["applies_when"] = {{"parameter", spec.condition->parameter},
                            {"values", spec.condition->values}};
  }
  if (spec.positional) json["positional"] = true;
  if (spec.inferred) json["inferred"] = true;
  return json;
}

Json description(const Study& study) {
  Json json = study_declaration(study);
  json["lab"] = study.lab;
  json["study"] = study.name;
  for (Method method : study.methods()) json["methods"].push_back(name_of(method));
  json["backends"] = Json::array();
  for (Backend backend : study.backends) json["backends"].push_back(name_of(backend));
  json["reads_machine_profile"] = study.reads_machine_profile;
  json["parameters"] = Json::array();
  for (const ParameterSpec& spec : study.parameters)
    json["parameters"].push_back(parameter_json(spec));
  json["default_experiments"] = study.default_experiments;
  return json;
}

ExitCode describe(Program& program, const Arguments& arguments) {
  if (arguments.has("schema") && !arguments.has("lab")) {
    print(run_schema(program.registry).dump(2) + "\n");
    return ExitCode::ok;
  }
  if (!arguments.has("lab") || !arguments.has("study")) {
    throw UsageError("hpclab describe: LAB and STUDY are needed (only --schema works without)");
  }
  const Study& study =
      program.registry.find(*arguments.one("lab"), *arguments.one("study"), "describe");
  if (arguments.has("schema")) {
    print(config_schema(study).dump(2) + "\n");
  } else if (arguments.has("json")) {
    print(description(study).dump(2) + "\n");
  } else {
    print(study_help(study));
  }
  return ExitCode::ok;
}

}  // namespace

Verb describe_verb() {
  Verb verb;
  verb.name = "describe";
  verb.summary =
      "parameters, values and methods of a study; --schema: JSON Schema of its configuration";
  verb.options = {
      {.name = "lab", .kind = OptionKind::positional, .value_name = "LAB"},
      {.name = "study", .kind = OptionKind::positional, .value_name = "STUDY"},
      {.name = "json", .help = "as JSON"},
      {.name = "schema",
       .help = "JSON Schema of the configuration file; without LAB that of a run file"}};
  verb.run = describe;
  return verb;
}

}  // namespace hpclab::app
