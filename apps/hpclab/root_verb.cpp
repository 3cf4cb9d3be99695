// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/help.hpp"
#include "hpclab/program.hpp"
#include "hpclab/sweep.hpp"
#include "hpclab/verb.hpp"

#include <fmt/format.h>

namespace hpclab::app {
namespace {

Verb lab_verb(const Program& program, const std::string& lab) {
  Verb verb;
  verb.name = lab;
  std::string studies;
  for (const Study* study : program.registry.studies_of(lab)) {
    studies += (studies.empty() ? "" : ", ") + study->name;
    verb.verbs.push_back(study_verb(program, lab, study->name));
  }
  verb.summary = "lab; studies: " + studies;
  verb.run = [lab](Program& p, const Arguments&) {
    for (const Study* study : p.registry.studies_of(lab)) {
      print(fmt::format("  {} {:<14} {}\n", lab, study->name, study->question));
    }
    return ExitCode::ok;
  };
  return verb;
}

Verb help_verb() {
  Verb options;
  options.name = "options";
  options.summary = "the options that every study has";
  options.run = [](Program&, const Arguments&) {
    Verb every;
    every.summary = "options that every study has";
    every.options = parameter_options();
    for (Option& option : sweep_options()) every.options.push_back(std::move(option));
    print(verb_help(every, {"LAB", "STUDY"}));
    return ExitCode::ok;
  };
  Verb verb;
  verb.name = "help";
  verb.summary = "this help; `hpclab help options`: the options of every study";
  verb.verbs.push_back(std::move(options));
  verb.run = [](Program& p, const Arguments&) {
    print(verb_help(root_verb(p), {}) + exit_code_help());
    return ExitCode::ok;
  };
  return verb;
}

}  // namespace

Verb root_verb(const Program& program) {
  Verb root;
  root.name = "hpclab";
  root.summary =
      "Performance laboratory: each study answers one question by a model, a simulation and a "
      "measurement on this "
      "machine, side by side.";
  root.options = {{.name = "version", .help = "version, git revision and compiler"},
                  {.name = "quiet",
                   .help = "no progress and no information on standard error",
                   .short_name = "q"},
                  {.name = "verbose", .help = "more on standard error", .short_name = "v"}};
  for (const std::string& lab : program.registry.labs())
    root.verbs.push_back(lab_verb(program, lab));
  root.verbs.push_back(run_verb(program));
  for (Verb (*make)() : {list_verb, describe_verb, doctor_verb, report_verb, plot_verb, merge_verb,
                         validate_verb, completion_verb, help_verb}) {
    root.verbs.push_back(make());
  }
  root.help = [](const Program& p) { return verb_help(root_verb(p), {}) + exit_code_help(); };
  return root;
}

}  // namespace hpclab::app
