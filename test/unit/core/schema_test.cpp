// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The schema must accept whatever the program accepts; what it refuses, the program refuses too.
// Where valijson (an independent validator) is installed, it judges; the structure is checked
// anyway.
#include "core/schema.hpp"

#include "core/case.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"

#include <string>
#include <vector>

#if __has_include(<valijson/validator.hpp>)
#define HPCLAB_TEST_VALIJSON 1
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#endif

using namespace hpclab;
using namespace hpclab::test;

namespace {

// Whether the program takes the document; backends count as available.
bool program_accepts(const Json& document) {
  Registry registry;
  registry.add(demo_study());
  try {
    const Json parsed = Json::parse(document.dump());  // numbers as a file would give them
    expand(experiments_from_json(parsed, registry, "f.json"), registry, {});
    return true;
  } catch (const Error&) {
    return false;
  }
}

Json config(const Json& more) {
  Json document = {{"lab", "demo"}, {"study", "steps"}};
  document.update(more);
  return document;
}

Json with_parameters(const Json& parameters) {
  return config({{"parameters", parameters}});
}

const std::vector<Json>& accepted() {
  static const std::vector<Json> documents{
      config(Json::object()),
      config({{"$schema", "x.json"}, {"comment", "why"}}),
      config({{"method", "model"}}),
      config({{"method", Json::array({"model", "measure"})}}),
      config({{"method", Json::array()}}),
      config({{"backend", "cuda"}}),
      config({{"backend", Json::array({"cpu", "cuda"})}}),
      config({{"seed", 0}}),
      config({{"seed", 9007199254740992}}),
      config({{"stop", "count:12"}}),
      config({{"machine", "h100"}}),
      config({{"machine", Json::array({"h100", "a100"})}}),
      config({{"exclude", "n > 5"}}),
      config({{"exclude", Json::array({"n > 5", "shape == mix"})}}),
      config({{"parameters", {{"n", {1, 2}}, {"rate", {3, 4}}}},
              {"zip", Json::array({Json::array({"n", "rate"})})}}),
      config({{"zip", Json::array()}}),
      with_parameters(Json::object()),
      with_parameters({{"n", 3}}),
      with_parameters({{"n", "4Ki"}}),
      with_parameters({{"n", "1:9:2"}}),
      with_parameters({{"n", Json::array({1, "2:4", "1Ki"})}}),
      with_parameters({{"rate", 2.5}}),
      with_parameters({{"rate", 1}}),
      with_parameters({{"shape", "mix"}, {"share", 0.25}}),
      with_parameters({{"shape", Json::array({"line", "square"})}}),
      with_parameters({{"mode", "fancy"}}),
      with_parameters({{"warm", false}}),
      with_parameters({{"warm", Json::array({true, false})}}),
      with_parameters({{"input", ""}}),
  };
  return documents;
}

// Refused by program and schema both.
const std::vector<Json>& refused() {
  static const std::vector<Json> documents{
      Json::array(),
      3,
      Json::object(),
      {{"lab", "demo"}},
      {{"lab", "demo"}, {"study", "step"}},
      {{"lab", 3}, {"study", "steps"}},
      config({{"colour", 1}}),
      config({{"comment", 1}, {"lab", "x"}}),
      config({{"method", "simulate"}}),
      config({{"method", 3}}),
      config({{"method", Json::array({"model", 3})}}),
      config({{"backend", "mpi"}}),
      config({{"backend", Json::array({"none"})}}),
      config({{"seed", -1}}),
      config({{"seed", 1.5}}),
      config({{"seed", "1"}}),
      config({{"stop", 12}}),
      config({{"machine", 3}}),
      config({{"exclude", 3}}),
      config({{"exclude", Json::array({3})}}),
      config({{"zip", "n"}}),
      config({{"zip", Json::array({Json::array({"n"})})}}),
      config({{"zip", Json::array({"n"})}}),
      config({{"parameters", Json::array()}}),
      with_parameters({{"m", 1}}),
      with_parameters({{"n", 0}}),
      with_parameters({{"n", 1.5}}),
      with_parameters({{"n", true}}),
      with_parameters({{"n", nullptr}}),
      with_parameters({{"n", Json::object()}}),
      with_parameters({{"n", Json::array()}}),
      with_parameters({{"n", Json::array({1, Json::array({2})})}}),
      with_parameters({{"n", Json::array({0})}}),
      with_parameters({{"rate", 0.25}}),
      with_parameters({{"rate", 1e7}}),
      with_parameters({{"shape", "circle"}}),
      with_parameters({{"shape", Json::array({"line", "circle"})}}),
      with_parameters({{"shape", 3}}),
      with_parameters({{"warm", "yes"}}),
      with_parameters({{"warm", 1}}),
      with_parameters({{"warm", Json::array()}}),
      with_parameters({{"input", 3}}),
      with_parameters({{"mode", nullptr}}),
  };
  return documents;
}

#ifdef HPCLAB_TEST_VALIJSON
bool schema_accepts(const Json& schema_text, const Json& document_text) {
  const nlohmann::json schema_document = nlohmann::json::parse(schema_text.dump());
  const nlohmann::json document = nlohmann::json::parse(document_text.dump());
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_document), schema);
  valijson::Validator validator;
  return validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
}
#endif

}  // namespace

TEST_CASE("schema: does the program itself take and refuse what the table says?") {
  for (const Json& document : accepted()) {
    INFO(document);
    CHECK(program_accepts(document));
  }
  for (const Json& document : refused()) {
    INFO(document);
    CHECK_FALSE(program_accepts(document));
  }
  // Beyond what validators agree on: 3.0 is an integer (since draft 6), 2^53 + 1 is no double.
  CHECK(program_accepts(with_parameters({{"n", 3.0}})));
  CHECK_FALSE(program_accepts(config({{"seed", 9007199254740993}})));
}

#ifdef HPCLAB_TEST_VALIJSON
TEST_CASE("schema: does an independent validator agree with the program on every document?") {
  const Json schema = config_schema(demo_study());
  Registry registry;
  registry.add(demo_study());
  const Json all = run_schema(registry);
  for (const Json& document : accepted()) {
    INFO(document);
    CHECK(schema_accepts(schema, document));
    CHECK(schema_accepts(all, {{"experiments", Json::array({document})}}));
  }
  for (const Json& document : refused()) {
    INFO(document);
    CHECK_FALSE(schema_accepts(schema, document));
    CHECK_FALSE(schema_accepts(all, {{"experiments", Json::array({document})}}));
  }
  CHECK_FALSE(schema_accepts(all, {{"experiments", Json::array()}}));
  CHECK_FALSE(schema_accepts(all, config(Json::object())));
  CHECK_FALSE(schema_accepts(all, {{"experiments", Json::array({accepted()[0]})}, {"extra", 1}}));
}
#endif

TEST_CASE("schema: does it hold every parameter with sentence, unit, default and range?") {
  const Study study = demo_study();
  const Json schema = config_schema(study);
  CHECK(schema["title"] == "hpclab demo steps");
  CHECK(schema["description"] == study.question);
  CHECK(schema["required"] == Json::array({"lab", "study"}));
  CHECK(schema["additionalProperties"] == false);
  CHECK(schema["properties"]["lab"]["const"] == "demo");
  const Json& parameters = schema["properties"]["parameters"]["properties"];
  CHECK(parameters.size() == study.parameters.size());
  for (const ParameterSpec& spec : study.parameters) {
    INFO(spec.name);
    CHECK(parameters[spec.name]["default"] == spec.default_value);
    CHECK(contains(parameters[spec.name]["description"], spec.help));
  }
  CHECK(parameters["rate"]["description"] == "steps a second (steps/s)");
  CHECK(parameters["n"]["anyOf"][0] ==
        Json{{"type", "integer"}, {"minimum", 1.}, {"maximum", 1e9}});
  CHECK(parameters["mode"]["anyOf"][0]["enum"] == Json::array({"plain", "fancy"}));
  CHECK(parameters["warm"]["anyOf"][0]["type"] == "boolean");
}

TEST_CASE(
    "schema: does a study that measures nothing have no backend, and a run file its studies?") {
  Study study = demo_study();
  study.name = "thought";
  study.measure = nullptr;
  study.backends.clear();
  std::erase_if(study.parameters, [](const ParameterSpec& spec) { return !spec.backends.empty(); });
  CHECK_FALSE(config_schema(study)["properties"].contains("backend"));
  Registry registry = demo_registry();
  registry.add(study);
  const Json alternatives = run_schema(registry)["properties"]["experiments"]["items"]["oneOf"];
  REQUIRE(alternatives.size() == 2);
  CHECK(alternatives[1]["properties"]["study"]["const"] == "thought");
  CHECK_FALSE(alternatives[1].contains("$schema"));
}
