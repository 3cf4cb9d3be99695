// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/claim_schema.hpp"

#include "core/claim.hpp"

#include <nlohmann/json.hpp>

namespace hpclab {
namespace {

Json object(Json required, Json properties) {
  return {{"type", "object"},
          {"required", std::move(required)},
          {"additionalProperties", false},
          {"properties", std::move(properties)}};
}

Json list_of(Json items) {
  return {{"type", "array"}, {"minItems", 1}, {"items", std::move(items)}};
}

Json described(Json schema, const char* description) {
  schema["description"] = description;
  return schema;
}

// What says which case is meant.
Json case_properties() {
  std::vector<std::string> methods;
  for (Method method : all_methods) methods.push_back(name_of(method));
  std::vector<std::string> backends;
  for (Backend backend : all_backends) backends.push_back(name_of(backend));
  return {{"parameters", described({{"type", "object"}}, "one value a parameter of the study")},
          {"method", {{"enum", methods}, {"default", "model"}}},
          {"backend", {{"enum", backends}}},
          {"machine", described({{"type", "string"}}, "a shipped machine profile")},
          {"seed", {{"type", "integer"}, {"minimum", 0}}}};
}

Json address_schema() {
  return {{"type", "string"},
          {"pattern", "^(values|text|work|tables)\\..+$"},
          {"description", "values.X, text.X, work.X, or tables.NAME.COLUMN with a row"}};
}

Json tolerance_schema() {
  const Json above_zero = {{"type", "number"}, {"exclusiveMinimum", 0}};
  Json alternatives =
      Json::array({{{"enum", {"exact", "at_least", "at_most", "within", "contains"}}}});
  for (const char* rule : {"relative", "absolute", "standard_errors"}) {
    alternatives.push_back(object(Json::array({rule}), {{rule, above_zero}}));
  }
  return {{"anyOf", alternatives}};
}

Json expected_schema() {
  const Json text = {{"type", "string"}};
  const Json cell = object({"file", "line", "column"},
                           {{"file", described(text, "below the data folder")},
                            {"line", described(text, "the words that the line starts with")},
                            {"column", {{"type", "integer"}, {"minimum", 1}}},
                            {"factor", {{"type", "number"}}}});
  const Json table = object(
      {"key", "columns", "rows"},
      {{"key", list_of(text)}, {"columns", list_of(text)}, {"rows", list_of({{"type", "array"}})}});
  return {
      {"description",
       "a number, text, [low, high], table or field of a file; a list of such "
       "with for_each"},
      {"anyOf", {{{"type", "number"}}, text, {{"type", "array"}, {"minItems", 1}}, cell, table}}};
}

Json claim_schema() {
  const Json text = {{"type", "string"}, {"minLength", 1}};
  const Json row = {{"type", "object"}};
  std::vector<std::string> kinds;
  for (ClaimKind kind : all_claim_kinds) kinds.push_back(name_of(kind));

  Json divisor = case_properties();
  divisor["address"] = address_schema();
  divisor["row"] = row;

  Json properties = {{"id", text}, {"comment", {{"type", "string"}}}};
  properties.update(case_properties());
  properties["for_each"] = described({{"type", "object"}, {"additionalProperties", list_of(true)}},
                                     "lists of parameters (or machine) that advance together");
  properties["ours"] = {
      {"anyOf",
       {address_schema(), object({"address"}, {{"address", address_schema()}, {"row", row}})}}};
  properties["over"] = {
      {"description", "what ours is divided by; parameters given here differ from the claim's"},
      {"anyOf", {{{"type", "number"}}, address_schema(), object({"address"}, std::move(divisor))}}};
  properties["expected"] = expected_schema();
  properties["tolerance"] = tolerance_schema();
  properties["source"] = text;
  properties["kind"] = {{"enum", kinds}};
  properties["needs"] = object(
      Json::array(), {{"gpu", {{"anyOf", {{{"const", true}}, text}}}}, {"data", list_of(text)}});
  properties["not_met"] = described(text, "why the claim is known not to be met");
  return object({"id", "ours", "expected", "tolerance", "source", "kind"}, std::move(properties));
}

}  // namespace

Json claims_schema() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "hpclab claims file"}};
  schema.update(object({"lab", "study", "claims"}, {{"$schema", {{"type", "string"}}},
                                                    {"comment", {{"type", "string"}}},
                                                    {"lab", {{"type", "string"}}},
                                                    {"study", {{"type", "string"}}},
                                                    {"claims", list_of(claim_schema())}}));
  return schema;
}

}  // namespace hpclab
