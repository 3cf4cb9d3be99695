// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters whose values, when none is given, follow from the others.
#include "core/case.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::test;

namespace {

struct Parameters {
  std::int64_t rows = 2;
  std::string name;
};

// One case a row of a table: "a0", "a1", ...
Study table_study() {
  ParameterTable<Parameters> table;
  table.add(&Parameters::rows, "rows", "rows of the table").between(0, 1e6);
  table.add(&Parameters::name, "name", "a row").listed_by([](const Json& before) {
    std::vector<Json> names;
    for (int i = 0; i < before["rows"].get<int>(); ++i) names.emplace_back("a" + std::to_string(i));
    return names;
  });
  return StudyDefinition<Parameters>("demo", "table", "Which rows are there?", table)
      .value({"time_s", "time", Better::lower, true})
      .model([](const Parameters&, Context&) { return Result(); })
      .build();
}

CaseList cases_of(const Json& parameters, std::uint64_t max_cases = 1000) {
  Registry registry;
  registry.add(table_study());
  ExpansionOptions options;
  options.max_cases = max_cases;
  return expand(
      experiments_from_json({{"lab", "demo"}, {"study", "table"}, {"parameters", parameters}},
                            registry, "t"),
      registry, options);
}

std::vector<std::string> names_of(const CaseList& list) {
  std::vector<std::string> names;
  for (const Case& c : list.cases) names.push_back(c.parameters["name"].get<std::string>());
  return names;
}

}  // namespace

TEST_CASE("listed parameters: does one that is not given take every value that the others list?") {
  CHECK(names_of(cases_of(Json::object())) == std::vector<std::string>{"a0", "a1"});
  CHECK(names_of(cases_of({{"rows", {1, 3}}})) == std::vector<std::string>{"a0", "a0", "a1", "a2"});
  CHECK(names_of(cases_of({{"rows", 3}, {"name", {"a2", "a0"}}})) ==
        std::vector<std::string>{"a2", "a0"});
}

TEST_CASE("listed parameters: are an empty list and too many values refused?") {
  CHECK(contains(error_of([] { cases_of({{"rows", 0}}); }), "no case is left"));
  CHECK(
      contains(error_of([] {
                 cases_of({{"rows", 5000}});
               }),
               "demo table: 5000 values of 'name', more than the limit of 1000 cases; choose some "
               "by name=..., or raise --max-cases"));
  CHECK(contains(error_of([] { cases_of({{"rows", 1500}}); }), "raise --max-cases"));
}
