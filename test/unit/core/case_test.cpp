// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/case.hpp"

#include "support/catch.hpp"
#include "support/demo_study.hpp"

#include <fstream>
#include <map>
#include <set>

using namespace hpclab;
using namespace hpclab::test;

namespace {

// Cases of a configuration for the demo study.
CaseList cases_of(const Json& config, const ExpansionOptions& options = {}) {
  static const Registry registry = demo_registry();
  Json full = {{"lab", "demo"}, {"study", "steps"}};
  full.update(config);
  return expand(experiments_from_json(full, registry, "test.json"), registry, options);
}

// One group; nested braces of two texts would make an object.
Json zip(const char* a, const char* b) {
  return Json::array({Json::array({a, b})});
}

std::string fault(const Json& config) {
  return error_of([&] { cases_of(config); });
}

}  // namespace

TEST_CASE("expansion: is the product of axes, methods and backends complete, predictions first?") {
  const CaseList list = cases_of({{"parameters", {{"n", {1, 2, 3}}, {"rate", {1, 2}}}}});
  REQUIRE(list.cases.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK((list.cases[i].method == Method::model) == (i < 6));
  }
  CHECK_FALSE(list.cases[0].backend);
  CHECK(list.cases[6].backend == Backend::cpu);
  std::set<std::string> ids;
  for (const Case& c : list.cases) ids.insert(c.id);
  CHECK(ids.size() == 12);
}

TEST_CASE("expansion: do zipped axes advance together, and unequal lengths fail?") {
  const CaseList list = cases_of({{"method", "model"},
                                  {"parameters", {{"n", {1, 2}}, {"rate", {3, 4}}}},
                                  {"zip", zip("n", "rate")}});
  REQUIRE(list.cases.size() == 2);
  CHECK(list.cases[1].parameters["n"] == 2);
  CHECK(list.cases[1].parameters["rate"] == 4);
  CHECK(contains(fault({{"parameters", {{"n", {1, 2}}, {"rate", 3}}}, {"zip", zip("n", "rate")}}),
                 "they must be as many"));
  CHECK(contains(fault({{"parameters", {{"n", {1, 2}}}}, {"zip", zip("n", "rate")}}),
                 "must be as many"));
  CHECK(contains(fault({{"zip", zip("n", "rate")}}), "no values"));
  CHECK(contains(fault({{"zip", Json::array({Json::array({"n"})})}}), "at least two"));
  CHECK(contains(fault({{"zip", zip("n", "rite")}}), "did you mean 'rate'?"));
}

TEST_CASE("expansion: does exclude drop points, and an empty rest fail?") {
  const CaseList list = cases_of(
      {{"method", "model"}, {"parameters", {{"n", "1:9"}}}, {"exclude", {"n > 4", "n == 2"}}});
  CHECK(list.cases.size() == 3);
  CHECK(list.excluded == 6);
  CHECK(contains(fault({{"parameters", {{"n", "1:9"}}}, {"exclude", "n > 0"}}),
                 "all 9 grid points are excluded"));
  CHECK(contains(fault({{"exclude", "m > 0"}}), "'m' in 'm > 0' is no parameter"));
}

TEST_CASE("expansion: are parameters without effect left out and the duplicates run once?") {
  // warm affects measure only; share applies to shape = mix only.
  const CaseList list = cases_of({{"parameters", {{"warm", {true, false}}, {"shape", "line"}}}});
  REQUIRE(list.cases.size() == 3);
  CHECK(list.duplicates == 1);
  CHECK_FALSE(list.cases[0].parameters.contains("warm"));
  CHECK(list.cases[1].parameters.contains("warm"));
  CHECK_FALSE(list.cases[1].parameters.contains("share"));
}

TEST_CASE("expansion: is a parameter of one backend absent from measurements on others?") {
  // lanes affects measurements on cuda only; model has every parameter that no method limits.
  ExpansionOptions options;
  options.skip_unavailable = true;
  const CaseList list = cases_of(
      {{"backend", {"cpu", "cuda"}}, {"parameters", {{"lanes", {16, 32}}, {"n", 4}}}}, options);
  REQUIRE(list.cases.size() == 5);
  CHECK(list.duplicates == 1);
  for (const Case& c : list.cases) {
    CHECK(c.parameters.contains("lanes") == (c.backend != Backend::cpu));
  }
  // The measurements on both backends still meet a prediction of the same point.
  CHECK(list.cases[2].pairing.at(Method::model) == list.cases[0].pairing.at(Method::model));
  CHECK(list.cases[3].pairing.at(Method::model) == list.cases[0].pairing.at(Method::model));
}

TEST_CASE("expansion: are a prediction and a measurement of different families kept apart?") {
  Registry registry;
  Study study = demo_study();
  study.family = [](const machine::MachineProfile*, std::optional<Backend> backend) {
    return std::string(backend == Backend::cuda ? "gpu" : "cpu");
  };
  registry.add(study);
  const Json config = {{"lab", "demo"}, {"study", "steps"}, {"backend", {"cpu", "cuda"}}};
  const CaseList list = expand(experiments_from_json(config, registry, "test.json"), registry, {});
  std::map<std::string, std::string> keys;
  for (const Case& c : list.cases)
    keys[c.backend ? name_of(*c.backend) : "model"] = c.pairing.at(Method::model);
  CHECK(keys["model"] == keys["cpu"]);
  CHECK(keys["model"] != keys["cuda"]);
}

TEST_CASE("expansion: is a choice inferred from the parameters that need it?") {
  CHECK(cases_of({{"method", "model"}}).cases[0].parameters["shape"] == "line");
  CHECK(cases_of({{"method", "model"}, {"parameters", {{"share", 0.25}}}})
            .cases[0]
            .parameters["shape"] == "mix");
}

TEST_CASE("expansion: does a resolved parameter show its resolved value?") {
  CHECK(cases_of({{"method", "model"}}).cases[0].recorded["threads"] == 3);
  const CaseList list = cases_of({{"method", "model"}, {"parameters", {{"threads", {0, 3, 4}}}}});
  CHECK(list.cases.size() == 2);
}

TEST_CASE("expansion: is a huge product counted and refused before it is made?") {
  ExpansionOptions options;
  options.max_cases = 1000;
  CHECK(contains(error_of([&] {
                   cases_of(
                       {{"method", "model"}, {"parameters", {{"n", "1:1000"}, {"rate", "1:1000"}}}},
                       options);
                 }),
                 "1000000 cases, more than the limit of 1000"));
  const std::string astronomic = error_of([&] {
    cases_of({{"parameters",
               {{"n", "1:1000000"},
                {"rate", "1:999999"},
                {"threads", "0:64"},
                {"mode", {"plain", "fancy"}},
                {"share", "0:1:0.00001"}}}});
  });
  CHECK(contains(astronomic, "or more cases, more than the limit"));
}

TEST_CASE("expansion: does the id depend on value and seed, and not on order or folder of files?") {
  const auto id = [](const Json& config) { return cases_of(config).cases[0].id; };
  const std::string base = id({{"method", "model"}, {"parameters", {{"n", 5}, {"rate", 3}}}});
  CHECK(base == id({{"method", "model"}, {"parameters", {{"rate", 3}, {"n", 5}}}}));
  CHECK(base != id({{"method", "model"}, {"parameters", {{"rate", 3}, {"n", 6}}}}));
  CHECK(base != id({{"method", "model"}, {"seed", 2}, {"parameters", {{"rate", 3}, {"n", 5}}}}));
  CHECK(base.size() == 16);

  const auto folder = std::filesystem::temp_directory_path() / "hpclab-case-test";
  for (const char* sub : {"a", "b"}) {
    std::filesystem::create_directories(folder / sub);
    std::ofstream(folder / sub / "in.txt") << "same";
  }
  const auto with_file = [&](const char* sub) {
    return cases_of({{"method", "model"},
                     {"parameters", {{"input", (folder / sub / "in.txt").string()}}}})
        .cases[0];
  };
  CHECK(with_file("a").id == with_file("b").id);
  CHECK(with_file("a").recorded["input"]["name"] == "in.txt");
  std::ofstream(folder / "b" / "in.txt") << "other";
  CHECK(with_file("a").id != with_file("b").id);
  CHECK(contains(fault({{"parameters", {{"input", (folder / "none").string()}}}}), "none"));
  std::filesystem::remove_all(folder);
}

TEST_CASE(
    "expansion: is an unavailable backend an error on the command line and a skip in a batch?") {
  CHECK(contains(fault({{"method", "measure"}, {"backend", "cuda"}}), "no driver"));
  ExpansionOptions batch;
  batch.skip_unavailable = true;
  const CaseList list = cases_of({{"method", "measure"}, {"backend", {"cpu", "cuda"}}}, batch);
  REQUIRE(list.cases.size() == 2);
  CHECK_FALSE(list.cases[0].skip_reason);
  CHECK(list.cases[1].skip_reason == "no driver. install one");
  CHECK(contains(fault({{"method", "measure"}, {"backend", "mpi"}}),
                 "does not measure on backend 'mpi'"));
  CHECK(contains(fault({{"method", "model"}, {"backend", "cpu"}}),
                 "'measure' is not among the methods"));
  CHECK(contains(fault({{"method", "simulate"}}), "has no method 'simulate'"));
}

TEST_CASE("shards: do they partition the cases, and keep a prediction beside its measurement?") {
  const std::vector<Case> all =
      cases_of({{"parameters", {{"n", "1:50"}, {"warm", {true, false}}}}}).cases;
  std::set<std::string> seen;
  std::size_t total = 0;
  for (std::uint64_t i = 0; i < 7; ++i) {
    const std::vector<Case> shard = shard_of(all, i, 7);
    total += shard.size();
    std::set<std::string> predicted;
    for (const Case& c : shard) {
      seen.insert(c.id);
      if (c.method == Method::model) predicted.insert(c.pairing.at(Method::model));
      if (c.method == Method::measure) CHECK(predicted.contains(c.pairing.at(Method::model)));
    }
  }
  CHECK(total == all.size());
  CHECK(seen.size() == all.size());
}

TEST_CASE("configuration: is every wrong key and type refused with its pointer?") {
  CHECK(contains(fault({{"parametres", Json::object()}}), "did you mean 'parameters'?"));
  CHECK(contains(fault({{"parameters", {{"m", 1}}}}),
                 "test.json: /parameters/m: unknown parameter 'm'"));
  CHECK(contains(fault({{"parameters", {{"n", "many"}}}}), "test.json: /parameters/n"));
  CHECK(contains(fault({{"parameters", 3}}), "/parameters: an object is needed"));
  CHECK(contains(fault({{"method", "modle"}}), "did you mean 'model'?"));
  CHECK(contains(fault({{"method", 3}}), "/method: a list of words is needed"));
  CHECK(contains(fault({{"backend", {"cpu", 3}}}), "/backend/1: text is needed"));
  CHECK(contains(fault({{"study", "step"}}), "did you mean 'steps'?"));
  CHECK(contains(fault({{"lab", "dmeo"}}), "did you mean 'demo'?"));
  CHECK(contains(fault({{"seed", -1}}), "/seed"));
  CHECK(contains(fault({{"zip", 1}}), "/zip"));
  const Registry registry = demo_registry();
  CHECK(contains(error_of([&] {
                   experiments_from_json({{"experiments", Json::array()}}, registry, "f");
                 }),
                 "at least one experiment"));
  CHECK(contains(error_of([&] { experiments_from_json(Json::array(), registry, "f"); }),
                 "an object is needed"));
  CHECK(contains(error_of([&] {
                   experiments_from_json({{"experiments", {{{"lab", "demo"}}}}}, registry, "f");
                 }),
                 "/experiments/0/study is missing"));
}

TEST_CASE("registry: is a wrong declaration refused when the program starts?") {
  const auto refused = [](auto change) {
    return error_of([&] {
      Study study = demo_study();
      change(study);
      Registry().add(study);
    });
  };
  CHECK(refused([](Study&) {}).empty());
  CHECK(contains(refused([](Study& s) { s.parameters[0].name = "seed"; }),
                 "name of a global option"));
  CHECK(contains(refused([](Study& s) { s.parameters[0].name = "rate"; }), "declared twice"));
  CHECK(contains(refused([](Study& s) { s.parameters[0].name = "N-x"; }), "bad parameter name"));
  CHECK(contains(refused([](Study& s) { s.parameters[0].default_value = 0; }), "out of range"));
  CHECK(contains(refused([](Study& s) { s.parameters[0].help = ""; }), "has no sentence"));
  CHECK(contains(refused([](Study& s) { s.values.clear(); }), "declares no value"));
  CHECK(contains(refused([](Study& s) { s.values.push_back(s.values[0]); }), "declared twice"));
  CHECK(contains(refused([](Study& s) { s.parameters[4].condition->values = {"circle"}; }),
                 "unknown shape"));
  CHECK(contains(refused([](Study& s) { s.question = ""; }), "asks no question"));
  Registry twice = demo_registry();
  CHECK(contains(error_of([&] { twice.add(demo_study()); }), "registered twice"));
}

TEST_CASE(
    "expansion: is a parameter that affects no case named, and a rule about it not applied?") {
  const CaseList list =
      cases_of({{"method", "model"},
                {"parameters", {{"shape", "line"}, {"share", 0.25}, {"warm", true}, {"n", {1, 2}}}},
                {"exclude", {"share > 0.2"}}});
  CHECK(list.cases.size() == 2);
  CHECK(list.excluded == 0);
  CHECK(list.unused == std::vector<std::string>{"share", "warm"});
}

TEST_CASE("expansion: does a stop request end the expansion of a large grid?") {
  StopSource source;
  ExpansionOptions options;
  options.stop = source.token();
  source.request_stop();
  CHECK_THROWS_AS(cases_of({{"parameters", {{"n", "1:1000"}}}}, options), Interrupted);
}
