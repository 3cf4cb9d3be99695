// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/case.hpp"
#include "core/error.hpp"
#include "core/registry.hpp"
#include "core/study.hpp"
#include "support/catch.hpp"

#include <set>

#include <nlohmann/json.hpp>

namespace hpclab::roofline::ceilings {
Study study();
}

using namespace hpclab;

namespace {

std::vector<std::string> names_of_case(const Json& parameters, const char* backend) {
  static const Registry registry = [] {
    Registry made;
    made.add(roofline::ceilings::study());
    return made;
  }();
  const Json config = {{"lab", "roofline"},
                       {"study", "ceilings"},
                       {"method", "measure"},
                       {"backend", backend},
                       {"parameters", parameters}};
  const CaseList list = expand(experiments_from_json(config, registry, "test"), registry, {});
  std::vector<std::string> names;
  for (const auto& [name, value] : list.cases[0].parameters.items()) names.push_back(name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("ceilings: have measurements on the CPU the parameters they had before GPUs came?") {
  // The id of a record hashes these: a parameter more would make old records unknown.
  CHECK(names_of_case({{"level", "dram"}}, "cpu") == Names{"quantity", "level", "kind", "isa",
                                                           "threads", "working_set", "memory",
                                                           "huge_pages"});
  CHECK(names_of_case({{"precision", "fp64"}}, "cpu") ==
        Names{"quantity", "isa", "precision", "threads"});
  CHECK(names_of_case({{"quantity", "latency"}}, "cpu") == Names{"quantity", "level", "threads",
                                                                 "chains", "order", "working_set",
                                                                 "memory", "huge_pages"});
}

TEST_CASE("ceilings: have measurements on a GPU no parameter of processors?") {
  CHECK(names_of_case({{"level", "dram"}}, "emulator") ==
        Names{"quantity", "level", "kind", "working_set"});
  CHECK(names_of_case({{"conflict", 4}, {"level", "shared"}}, "emulator") ==
        Names{"quantity", "level", "kind", "conflict", "working_set"});
  CHECK(names_of_case({{"unit", "tensor"}}, "cuda") == Names{"quantity", "precision", "unit"});
  CHECK(names_of_case({{"direction", "both"}}, "cuda") ==
        Names{"quantity", "direction", "host_memory"});
  CHECK(names_of_case({{"launch_by", "graph"}}, "cuda") == Names{"quantity", "launch_by"});
}
