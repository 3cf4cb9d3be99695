// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/registry.hpp"

#include "core/experiment.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"

#include <stdexcept>

using namespace hpclab;
using namespace hpclab::test;

namespace {

// Text of the refusal of the demo study after `change`; any refusal must be a logic_error.
std::string refused(const std::function<void(Study&)>& change) {
  Study study = demo_study();
  change(study);
  try {
    Registry().add(study);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

ParameterSpec& parameter(Study& study, const std::string& name) {
  for (ParameterSpec& spec : study.parameters) {
    if (spec.name == name) return spec;
  }
  throw std::out_of_range(name);
}

}  // namespace

TEST_CASE("registry: is every fault of a declaration the author's logic error?") {
  CHECK(refused([](Study&) {}).empty());
  CHECK(contains(refused([](Study& s) { parameter(s, "n").default_value = 0; }), "out of range"));
  CHECK(contains(refused([](Study& s) { parameter(s, "n").default_value = "many"; }), "takes"));
  CHECK(contains(refused([](Study& s) { s.name = "Steps"; }), "lower-case names"));
  CHECK(contains(refused([](Study& s) { s.lab = ""; }), "lower-case names"));
  CHECK(contains(refused([](Study& s) {
                   s.model = nullptr;
                   s.measure = nullptr;
                 }),
                 "no method"));
  CHECK(contains(refused([](Study& s) { s.backends.clear(); }), "measure needs a backend"));
  CHECK(contains(refused([](Study& s) { s.values[0].name = "Time"; }), "bad value name"));
  CHECK(contains(refused([](Study& s) { s.values[0].meaning = ""; }), "has no meaning"));
  CHECK(contains(refused([](Study& s) { parameter(s, "share").condition->parameter = "shap"; }),
                 "did you mean 'shape'?"));
}

TEST_CASE("registry: must a condition rest on a choice, and never on itself?") {
  CHECK(contains(refused([](Study& s) {
                   parameter(s, "share").condition = Condition{"n", {"3"}};
                 }),
                 "no choice"));
  CHECK(contains(refused([](Study& s) {
                   parameter(s, "shape").condition = Condition{"shape", {"mix"}};
                 }),
                 "conditioned on itself"));
  CHECK(contains(refused([](Study& s) {
                   parameter(s, "shape").condition = Condition{"mode", {"plain"}};
                   parameter(s, "mode").condition = Condition{"shape", {"line"}};
                 }),
                 "conditioned on itself"));
  CHECK(refused([](Study& s) {
          parameter(s, "shape").condition = Condition{"mode", {"plain"}};
        }).empty());
  CHECK(contains(refused([](Study& s) { parameter(s, "n").inferred = true; }),
                 "inferred but no choice"));
}

TEST_CASE("registry: are labs, studies and the nearest names found?") {
  Registry registry = demo_registry();
  Study other = demo_study();
  other.name = "jumps";
  registry.add(other);
  other.lab = "second";
  registry.add(other);
  CHECK(registry.labs() == std::vector<std::string>{"demo", "second"});
  CHECK(registry.studies().size() == 3);
  CHECK(registry.studies_of("demo").size() == 2);
  CHECK(registry.studies_of("none").empty());
  CHECK(registry.find("demo", "jumps", "x").name == "jumps");
  CHECK(contains(error_of([&] { registry.find("secnd", "jumps", "f.json: /lab"); }),
                 "f.json: /lab: unknown lab 'secnd'"));
  CHECK(contains(error_of([&] { registry.find("demo", "jump", "x"); }), "did you mean 'jumps'?"));
}

TEST_CASE("registry: does a backend work unless its check says why not?") {
  const Registry registry = demo_registry();
  CHECK_FALSE(registry.why_not(Backend::cpu));
  REQUIRE(registry.why_not(Backend::cuda));
  CHECK(registry.why_not(Backend::cuda)->reason() == "no driver");
  CHECK(registry.why_not(Backend::cuda)->mend() == "install one");
  CHECK(registry.why_not(Backend::cuda)->code() == ExitCode::unavailable);
}

TEST_CASE("registry: are the default experiments of a study valid, or one case when it has none?") {
  Study study = demo_study();
  const std::vector<Experiment> declared = default_experiments(study);
  REQUIRE(declared.size() == 1);
  CHECK(declared[0].from_defaults);
  CHECK(declared[0].find_axis("n")->size() == 2);
  study.default_experiments = Json::array();
  REQUIRE(default_experiments(study).size() == 1);
  CHECK(default_experiments(study)[0].axes.empty());
  study.default_experiments = Json::array({{{"parameters", {{"m", 1}}}}});
  CHECK(contains(error_of([&] { default_experiments(study); }),
                 "demo/steps defaults: /0/parameters/m"));
}

TEST_CASE("experiment: does --set add and replace axes, and refuse unknown names?") {
  const Study study = demo_study();
  Experiment experiment;
  experiment.study = &study;
  experiment.set_from_text("n=1,2,rate=3", "--set");
  experiment.set_from_text("n=5", "--set");
  REQUIRE(experiment.find_axis("n"));
  CHECK(*experiment.find_axis("n") == std::vector<Json>{5});
  CHECK(experiment.find_axis("rate")->size() == 1);
  CHECK(experiment.find_axis("mode") == nullptr);
  CHECK(
      contains(error_of([&] { experiment.set_from_text("nn=5", "--set"); }), "did you mean 'n'?"));
  experiment.add_zip({"n", "rate"}, "--zip");
  CHECK(contains(error_of([&] {
                   experiment.add_zip({"n", "mode"}, "--zip");
                 }),
                 "'n' is in two zip groups"));
  CHECK(contains(error_of([&] {
                   experiment.add_zip({"mode", "mode"}, "--zip");
                 }),
                 "'mode' is named twice"));
}
