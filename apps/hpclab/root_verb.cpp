// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/nearest_name.hpp"
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

std::string options_help() {
  Verb every;
  every.summary = "options that every study has";
  every.options = parameter_options();
  for (Option& option : sweep_options()) every.options.push_back(std::move(option));
  return verb_help(every, {"LAB", "STUDY"});
}

// `hpclab help roofline ceilings` is `hpclab roofline ceilings --help`.
ExitCode help_on(Program& program, const std::vector<std::string>& words) {
  if (words == std::vector<std::string>{"options"}) {
    print(options_help());
    return ExitCode::ok;
  }
  const Verb root = root_verb(program);
  const Verb* verb = &root;
  for (const std::string& word : words) {
    std::vector<std::string> names;
    const Verb* next = nullptr;
    for (const Verb& child : verb->verbs) {
      names.push_back(child.name);
      if (child.name == word) next = &child;
    }
    if (verb == &root) names.emplace_back("options");
    if (!next) {
      throw UsageError(fmt::format("hpclab help: there is no help on '{}'{}", fmt::join(words, " "),
                                   suggestion(word, names)));
    }
    verb = next;
  }
  if (verb->passes_extras) {  // the drawing program knows its own options
    Arguments arguments;
    arguments.add("extras", {"--help"});
    return verb->run(program, arguments);
  }
  print(verb->help ? verb->help(program) : verb_help(*verb, words));
  return ExitCode::ok;
}

// `topics`: what completes.
Verb help_verb(std::vector<std::string> topics) {
  Verb verb;
  verb.name = "help";
  verb.summary =
      "this help, or that of a verb, lab or study; `hpclab help options`: the options of every "
      "study";
  verb.options = {{.name = "topic",
                   .kind = OptionKind::positional,
                   .value_name = "VERB|LAB [STUDY]|options",
                   .many = true,
                   .choices = std::move(topics)}};
  verb.run = [](Program& p, const Arguments& arguments) {
    return help_on(p, arguments.all("topic"));
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
  for (Verb (*make)() : {list_verb, describe_verb, doctor_verb, report_verb, plot_verb,
                         compare_verb, ab_verb, exec_verb, merge_verb, validate_verb, export_verb,
                         claims_verb, completion_verb, man_verb}) {
    root.verbs.push_back(make());
  }
  std::vector<std::string> topics{"options"};
  for (const Verb& verb : root.verbs) topics.push_back(verb.name);
  root.verbs.push_back(help_verb(std::move(topics)));
  root.help = [](const Program& p) { return verb_help(root_verb(p), {}) + exit_code_help(); };
  return root;
}

}  // namespace hpclab::app
