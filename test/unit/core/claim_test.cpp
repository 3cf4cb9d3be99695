// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/claim.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"
#include "support/fixture_root.hpp"

#include <set>

using namespace hpclab;
using namespace hpclab::test;

namespace {

// A claim that holds: 4 steps at 2 steps/s take 2 s.
Json good_claim() {
  return {{"id", "two-seconds"},  {"parameters", {{"n", 4}}},           {"ours", "values.time_s"},
          {"expected", 2},        {"tolerance", {{"relative", 0.001}}}, {"source", "division"},
          {"kind", "closed form"}};
}

Json file_of(const Json& claim) {
  return {{"lab", "demo"}, {"study", "steps"}, {"claims", Json::array({claim})}};
}

Json changed(const std::string& key, const Json& value) {
  Json claim = good_claim();
  claim[key] = value;
  return claim;
}

std::vector<Claim> read(const Json& document) {
  static const Registry registry = demo_registry();
  return claims_from_json(document, registry, "demo.json");
}

std::string fault_of(const Json& claim) {
  return error_of([&] { read(file_of(claim)); });
}

}  // namespace

TEST_CASE("claim: is a claim read with its case, tolerance and defaults?") {
  const auto claims = read(file_of(good_claim()));
  REQUIRE(claims.size() == 1);
  const Claim& claim = claims.front();
  CHECK(claim.id == "two-seconds");
  CHECK(claim.ours.address.text() == "values.time_s");
  CHECK(claim.ours.of.method == Method::model);
  CHECK(claim.ours.of.parameters["n"] == 4);
  CHECK(claim.expected == 2);
  CHECK(claim.tolerance.rule == ClaimTolerance::Rule::relative);
  CHECK(claim.tolerance.text() == "0.1 %");
  CHECK(claim.kind == ClaimKind::closed_form);
  CHECK_FALSE(claim.needs_gpu);
  CHECK(claim.known_not_met.empty());
}

TEST_CASE("claim: does every mistake name its place and the nearest right word?") {
  struct Mistake {
    std::string key;
    Json value;
    std::string words;
  };
  const std::vector<Mistake> mistakes{
      {"tolerence", 1, "/claims/0/tolerence: unknown key 'tolerence'; did you mean 'tolerance'"},
      {"kind", "publisht", "/claims/0/kind: unknown kind 'publisht'; did you mean 'published'"},
      {"ours", "value.time_s", "'value.time_s' begins with no section of a record"},
      {"ours", "values.time", "has no value 'time'; did you mean 'time_s'"},
      {"ours", "values.", "names nothing"},
      {"ours", "tables.levels.size", "/claims/0/ours: a figure of a table needs a column"},
      {"ours", {{"address", "values.time_s"}, {"row", {{"a", 1}}}}, "only a table has rows"},
      {"parameters", {{"m", 4}}, "unknown parameter 'm'"},
      {"parameters", {{"n", 0}}, "/claims/0/parameters/n"},
      {"parameters", {{"n", {1, 2}}}, "/claims/0/parameters/n"},
      {"method", "simulate", "has no method 'simulate'"},
      {"method", "measure", "a measurement needs a 'backend'"},
      {"backend", "cpu", "only a measurement has a 'backend'"},
      {"tolerance", "exactly", "unknown tolerance 'exactly'; did you mean 'exact'"},
      {"tolerance", {{"relativ", 1}}, "did you mean 'relative'"},
      {"tolerance", {{"relative", 0}}, "a number above 0"},
      {"tolerance", {{"relative", 1}, {"absolute", 1}}, "one word"},
      {"tolerance", "within", "two numbers, the lower one first"},
      {"tolerance", "contains", "needs a text"},
      {"expected", "two", "'exact' or 'contains'"},
      {"expected", nullptr, "/claims/0/expected"},
      {"expected", {{"file", "f"}, {"line", "1"}, {"column", 0}}, "counted from 1"},
      {"expected", {{"file", "f"}, {"column", 1}}, "'line' is missing"},
      {"over", 0, "other than 0"},
      {"over", {{"address", "values.time_s"}, {"parameters", {{"x", 1}}}}, "unknown parameter 'x'"},
      {"source", "", "/claims/0/source: a text is needed"},
      {"needs", {{"gpus", true}}, "did you mean 'gpu'"},
      {"needs", {{"gpu", false}}, "true or a part of the device's name"},
      {"seed", -1, "/claims/0/seed"},
      {"for_each", {{"n", {1, 2}}}, "with 'for_each' a list is needed"},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string fault = fault_of(changed(mistake.key, mistake.value));
    INFO(mistake.key << " = " << mistake.value << ": " << fault);
    CHECK(fault.starts_with("demo.json: /claims/0"));
    CHECK(contains(fault, mistake.words));
  }
}

TEST_CASE("claim: is every required key missed, and a second claim of the same id?") {
  for (const char* key : {"id", "ours", "expected", "tolerance", "source", "kind"}) {
    Json claim = good_claim();
    claim.erase(key);
    CHECK(contains(fault_of(claim), std::string("'") + key + "' is missing"));
  }
  Json twice = file_of(good_claim());
  twice["claims"].push_back(good_claim());
  CHECK(contains(error_of([&] { read(twice); }), "/claims/1/id: another claim"));
  Json other = file_of(good_claim());
  other["study"] = "stepz";
  CHECK(contains(error_of([&] { read(other); }), "did you mean 'steps'"));
  other = file_of(good_claim());
  other["claims"] = Json::array();
  CHECK(contains(error_of([&] { read(other); }), "at least one claim"));
}

TEST_CASE("claim: does a list make one claim an element, and must the lists be as long?") {
  Json claim = changed("for_each", {{"n", {4, 8}}, {"rate", {2, 4}}});
  claim["expected"] = {2, 2};
  const auto claims = read(file_of(claim));
  REQUIRE(claims.size() == 2);
  CHECK(claims[1].id == "two-seconds (n=8, rate=4)");
  CHECK(claims[1].ours.of.parameters["n"] == 8);
  CHECK(claims[1].expected == 2);
  claim["expected"] = {2, 2, 2};
  CHECK(contains(fault_of(claim), "/claims/0/for_each/n: a list as long as 'expected' (3"));
  claim["expected"] = Json::array({Json::array({1, 2}), Json::array({2, 1})});
  claim["tolerance"] = "within";
  CHECK(contains(fault_of(claim), "/claims/0/expected/1"));
}

TEST_CASE("claim: does a table make one claim a cell that is no key?") {
  Json claim = changed("ours", "tables.levels");
  claim["expected"] = {{"key", {"level"}},
                       {"columns", {"level", "size_bytes", "lines"}},
                       {"rows", {{"l1", 32768, 512}, {"l2", 1048576, 16384}}}};
  claim["tolerance"] = "exact";
  const auto claims = read(file_of(claim));
  REQUIRE(claims.size() == 4);
  CHECK(claims[3].id == "two-seconds (level=l2, lines)");
  CHECK(claims[3].ours.address.text() == "tables.levels.lines (level=l2)");
  CHECK(claims[3].expected == 16384);
  claim["expected"]["key"] = {"levle"};
  CHECK(contains(fault_of(claim), "did you mean 'level'"));
  claim["expected"]["key"] = {"level"};
  claim["expected"]["rows"][1] = {"l2", 1};
  CHECK(contains(fault_of(claim), "/claims/0/expected/rows/1: a row of 3 cells"));
}

TEST_CASE("claim: must a file lie where its lab and study say?") {
  const Registry registry = demo_registry();
  const std::string text = file_of(good_claim()).dump();
  FixtureRoot root;
  root.file("demo/steps.json", text);
  root.file("demo/other.json", text);
  CHECK(read_claims(root.path() / "demo/steps.json", registry).size() == 1);
  CHECK(contains(error_of([&] { read_claims(root.path() / "demo/other.json", registry); }),
                 "belong into demo/steps.json"));
}

TEST_CASE("claim: is a document with anything in any place read or refused, never worse?") {
  Json whole = file_of(good_claim());
  whole["claims"].push_back(changed("for_each", {{"n", {4, 8}}}));
  whole["claims"][1]["id"] = "list";
  whole["claims"][1]["expected"] = {2, 2};
  whole["claims"].push_back(changed("ours", "tables.levels"));
  whole["claims"][2]["id"] = "table";
  whole["claims"][2]["expected"] = {
      {"key", {"level"}}, {"columns", {"level", "size"}}, {"rows", Json::array({{"l1", 2}})}};
  whole["claims"].push_back(
      changed("expected", {{"file", "a"}, {"line", "1"}, {"column", 2}, {"factor", 1e-3}}));
  whole["claims"][3]["id"] = "file";
  whole["claims"][3]["over"] = {{"address", "values.time_s"}, {"parameters", {{"n", 2}}}};
  whole["claims"][3]["needs"] = {{"gpu", "H200"}, {"data", {"a"}}};
  REQUIRE(read(whole).size() == 5);
  const std::vector<Json> intruders{nullptr,
                                    true,
                                    -1,
                                    1e300,
                                    18446744073709551615u,
                                    "",
                                    "x",
                                    "n",
                                    "a.b.c.d",
                                    Json::array(),
                                    Json::object(),
                                    {1, 2},
                                    {{"n", 1}},
                                    {{"rows", 1}},
                                    Json::array({Json::array()})};
  int refused = 0;
  const Json flat = whole.flatten();
  std::set<std::string> pointers;
  for (const auto& [pointer, value] : flat.items()) {  // each place and those that hold it
    for (std::size_t end = pointer.size(); end != std::string::npos && end > 0;
         end = pointer.rfind('/', end - 1)) {
      pointers.insert(pointer.substr(0, end));
    }
  }
  for (const std::string& pointer : pointers) {
    for (const Json& intruder : intruders) {
      Json damaged = whole;
      damaged[Json::json_pointer(pointer)] = intruder;
      try {
        read(damaged);
      } catch (const UsageError&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 500);
}
