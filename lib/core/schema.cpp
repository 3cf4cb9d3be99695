// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/schema.hpp"

#include <cmath>

namespace hpclab {
namespace {

constexpr const char* dialect = "https://json-schema.org/draft/2020-12/schema";

// One value of a parameter, without axes.
Json scalar_schema(const ParameterSpec& spec) {
  Json schema = Json::object();
  switch (spec.type) {
    case ParameterType::integer:
    case ParameterType::number:
      schema["type"] = spec.type == ParameterType::integer ? "integer" : "number";
      if (std::isfinite(spec.minimum)) schema["minimum"] = spec.minimum;
      if (std::isfinite(spec.maximum)) schema["maximum"] = spec.maximum;
      if (spec.step > 0) schema["multipleOf"] = spec.step;
      break;
    case ParameterType::choice:
      schema["enum"] = spec.choices;
      break;
    case ParameterType::flag:
      schema["type"] = "boolean";
      break;
    case ParameterType::text:
    case ParameterType::file:
      schema["type"] = "string";
      break;
  }
  return schema;
}

Json parameter_schema(const ParameterSpec& spec) {
  Json one = scalar_schema(spec);
  Json alternatives = Json::array({one});
  if (spec.numeric()) {
    one = {{"anyOf",
            {scalar_schema(spec),
             {{"type", "string"}, {"description", "number with suffix, or range"}}}}};
    alternatives.push_back(
        {{"type", "string"}, {"description", "axis: 1,2,8 or 1:9:2 or 1Ki:1Gi:*4"}});
  }
  alternatives.push_back({{"type", "array"}, {"minItems", 1}, {"items", one}});
  std::string description = spec.help;
  if (!spec.unit.empty()) description += " (" + spec.unit + ")";
  if (!spec.backends.empty()) {
    std::string names;
    for (Backend backend : spec.backends) names += (names.empty() ? "" : ", ") + name_of(backend);
    description += "; measurements on " + names + " only";
  }
  return {{"description", description}, {"default", spec.default_value}, {"anyOf", alternatives}};
}

Json one_or_list(const std::vector<std::string>& names) {
  const Json name = {{"enum", names}};
  return {{"anyOf", {name, {{"type", "array"}, {"items", name}}}}};
}

}  // namespace

Json config_schema(const Study& study) {
  std::vector<std::string> methods;
  for (Method method : study.methods()) methods.push_back(name_of(method));
  std::vector<std::string> backends;
  for (Backend backend : study.backends) backends.push_back(name_of(backend));
  Json parameters = Json::object();
  for (const ParameterSpec& spec : study.parameters) parameters[spec.name] = parameter_schema(spec);
  Json properties = {{"$schema", {{"type", "string"}}},
                     {"comment", {{"type", "string"}}},
                     {"lab", {{"const", study.lab}}},
                     {"study", {{"const", study.name}}},
                     {"method", one_or_list(methods)}};
  if (!backends.empty()) properties["backend"] = one_or_list(backends);
  properties["parameters"] = {
      {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(parameters)}};
  properties["zip"] = {
      {"type", "array"},
      {"items", {{"type", "array"}, {"minItems", 2}, {"items", {{"type", "string"}}}}}};
  properties["exclude"] = {
      {"anyOf", {{{"type", "string"}}, {{"type", "array"}, {"items", {{"type", "string"}}}}}}};
  properties["machine"] = {
      {"anyOf", {{{"type", "string"}}, {{"type", "array"}, {"items", {{"type", "string"}}}}}}};
  properties["stop"] = {{"type", "string"},
                        {"description", "stopping rule of measurements, e.g. relative:1%"}};
  properties["seed"] = {{"type", "integer"}, {"minimum", 0}, {"maximum", 9007199254740992}};
  return {{"$schema", dialect},
          {"title", "hpclab " + study.lab + " " + study.name},
          {"description", study.question},
          {"type", "object"},
          {"required", {"lab", "study"}},
          {"additionalProperties", false},
          {"properties", std::move(properties)}};
}

Json run_schema(const Registry& registry) {
  Json alternatives = Json::array();
  for (const Study& study : registry.studies()) {
    Json schema = config_schema(study);
    schema.erase("$schema");
    alternatives.push_back(std::move(schema));
  }
  return {{"$schema", dialect},
          {"title", "hpclab run file"},
          {"type", "object"},
          {"required", {"experiments"}},
          {"additionalProperties", false},
          {"properties",
           {{"$schema", {{"type", "string"}}},
            {"comment", {{"type", "string"}}},
            {"experiments",
             {{"type", "array"}, {"minItems", 1}, {"items", {{"oneOf", alternatives}}}}}}}};
}

}  // namespace hpclab
