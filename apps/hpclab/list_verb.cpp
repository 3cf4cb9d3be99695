// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/program.hpp"
#include "hpclab/text_table.hpp"
#include "hpclab/verb.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

ExitCode list(Program& program, const Arguments& arguments) {
  TextTable table;
  for (const char* heading : {"lab", "study", "methods", "backends", "question"})
    table.add_column(heading);
  Json json = Json::array();
  for (const Study& study : program.registry.studies()) {
    std::vector<std::string> methods;
    for (Method method : study.methods()) methods.push_back(name_of(method));
    std::vector<std::string> backends;
    for (Backend backend : study.backends) backends.push_back(name_of(backend));
    json.push_back({{"lab", study.lab},
                    {"study", study.name},
                    {"question", study.question},
                    {"methods", methods},
                    {"backends", backends}});
    table.add_row({study.lab, study.name, fmt::format("{}", fmt::join(methods, ",")),
                   fmt::format("{}", fmt::join(backends, ",")), study.question});
  }
  print(arguments.has("json") ? json.dump(2) + "\n" : table.text(program.color));
  return ExitCode::ok;
}

}  // namespace

Verb list_verb() {
  Verb verb;
  verb.name = "list";
  verb.summary = "all studies with the question each one answers";
  verb.options = {{.name = "json", .help = "as JSON"}};
  verb.run = list;
  return verb;
}

}  // namespace hpclab::app
