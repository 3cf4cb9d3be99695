// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/method.hpp"

#include "core/study.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"

#include <set>

using namespace hpclab;
using namespace hpclab::test;

TEST_CASE("methods and backends: does every name parse back to its own value?") {
  std::set<std::string> names;
  for (Method method : all_methods) {
    CHECK(parse_method(name_of(method), "here") == method);
    names.insert(name_of(method));
  }
  for (Backend backend : all_backends) {
    CHECK(parse_backend(name_of(backend), "here") == backend);
    names.insert(name_of(backend));
  }
  CHECK(names.size() == all_methods.size() + all_backends.size());
  CHECK_FALSE(names.contains("?"));
}

TEST_CASE("methods and backends: does a misspelt name say where and offer the nearest?") {
  const std::string method = error_of([] { parse_method("mesure", "--method"); });
  CHECK(contains(method, "--method: unknown method 'mesure'"));
  CHECK(contains(method, "did you mean 'measure'?"));
  CHECK(contains(error_of([] { parse_backend("cudda", "f.json: /backend"); }),
                 "did you mean 'cuda'?"));
  CHECK_THROWS_AS(parse_backend("", "x"), UsageError);
  CHECK_THROWS_AS(parse_method("Model", "x"), UsageError);
}

TEST_CASE("study: do methods, values and names answer for what was declared?") {
  const Study study = demo_study();
  CHECK(study.full_name() == "demo/steps");
  CHECK(study.methods() == std::vector{Method::model, Method::measure});
  CHECK(study.has(Method::measure));
  CHECK_FALSE(study.has(Method::simulate));
  REQUIRE(study.find_value("time_s"));
  CHECK(study.find_value("time_s")->headline);
  CHECK(study.find_value("time") == nullptr);
  CHECK(name_of(Better::lower) == "lower");
  CHECK(name_of(Better::higher) == "higher");
  CHECK(name_of(Better::neither) == "neither");
  const Estimate estimate = study.estimate({{"n", 100}}, Method::model);
  CHECK(estimate.bytes == 800);
  CHECK(estimate.seconds == 0.5);
}
