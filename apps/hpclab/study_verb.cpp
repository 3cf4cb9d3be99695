// hpclab: SPDX-License-Identifier: Apache-2.0
//
// `hpclab LAB STUDY ...`: options from the parameter table, precedence option > --set > --config >
// default.
#include "core/axis.hpp"
#include "core/json_file.hpp"
#include "core/units.hpp"
#include "hpclab/default_run.hpp"
#include "hpclab/help.hpp"
#include "hpclab/sweep.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

std::string option_name(const std::string& parameter) {
  std::string name = parameter;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::vector<Experiment> from_config(const Study& study, const Registry& registry,
                                    const std::string& file) {
  std::vector<Experiment> experiments = experiments_from_json(read_json_file(file), registry, file);
  for (const Experiment& experiment : experiments) {
    if (experiment.study != &study) {
      throw UsageError(fmt::format(
          "{}: it configures {} {}, not {} {}; use `hpclab run {}` for files of several "
          "studies",
          file, experiment.study->lab, experiment.study->name, study.lab, study.name, file));
    }
  }
  return experiments;
}

// A positional argument is what the study looks at, not how: the default experiments take it.
bool gives_parameters(const Study& study, const Arguments& arguments) {
  if (arguments.has("set") || arguments.has("config")) return true;
  return std::any_of(study.parameters.begin(), study.parameters.end(),
                     [&](const ParameterSpec& spec) {
                       return !spec.positional && arguments.has(option_name(spec.name));
                     });
}

void apply(Experiment& experiment, const Study& study, const Arguments& arguments) {
  for (const std::string& assignments : arguments.all("set"))
    experiment.set_from_text(assignments, "--set");
  for (const ParameterSpec& spec : study.parameters) {
    const std::string option = option_name(spec.name);
    std::vector<Json> axis;
    for (const std::string& text : arguments.all(option)) {  // several for a positional file only
      const std::string where = spec.positional ? spec.name : "--" + option;
      for (Json& value : parse_axis(spec, text, where)) axis.push_back(std::move(value));
    }
    if (!axis.empty()) experiment.set_axis(spec.name, std::move(axis));
  }
  for (const std::string& names : arguments.all("zip")) {
    std::vector<std::string> group;
    for (std::size_t begin = 0; begin <= names.size();) {
      const std::size_t end = std::min(names.find(',', begin), names.size());
      group.push_back(names.substr(begin, end - begin));
      begin = end + 1;
    }
    experiment.add_zip(std::move(group), "--zip");
  }
  for (const std::string& rule : arguments.all("exclude"))
    experiment.add_exclude(rule, "--exclude");
  if (arguments.has("method")) {
    experiment.methods.clear();
    for (const std::string& name : comma_words(arguments, "method")) {
      experiment.methods.push_back(parse_method(name, "--method"));
    }
  }
  // Predictions alone are asked for: the backends of the configuration have nothing to say.
  if (arguments.has("method") && std::find(experiment.methods.begin(), experiment.methods.end(),
                                           Method::measure) == experiment.methods.end()) {
    experiment.backends.clear();
  }
  if (arguments.has("backend")) {
    experiment.backends.clear();
    for (const std::string& name : comma_words(arguments, "backend")) {
      experiment.backends.push_back(parse_backend(name, "--backend"));
    }
  }
  if (arguments.has("machine")) experiment.machines = comma_words(arguments, "machine");
  if (const auto seed = arguments.one("seed")) {
    const ParameterSpec spec =
        ParameterSpec{.name = "seed", .type = ParameterType::integer}.between(0, 9007199254740992.);
    experiment.seed = spec.check_text(*seed, "--seed").get<std::uint64_t>();
  }
}

ExitCode run_study(Program& program, const Study& study, const Arguments& arguments) {
  SweepRequest request;
  if (const auto config = arguments.one("config")) {
    request.experiments = from_config(study, program.registry, *config);
  } else if (!gives_parameters(study, arguments)) {
    DefaultRun run = default_run(program, study, arguments);
    request.experiments = std::move(run.experiments);
    request.default_words = std::move(run.words);
  } else {
    request.experiments.emplace_back();
    request.experiments.back().study = &study;
  }
  for (Experiment& experiment : request.experiments) {
    const std::vector<Backend> own = experiment.backends;
    apply(experiment, study, arguments);
    if (experiment.from_defaults && !own.empty() && arguments.has("backend"))
      experiment.backends = own;
  }
  for (const OutputSpec& output : study.outputs) {
    if (const auto path = arguments.one(output.name))
      request.outputs.emplace_back(output.name, *path);
  }
  return run_sweep(program, request, arguments);
}

}  // namespace

std::vector<Option> parameter_options() {
  const std::string group = "Options of every study";
  return {{.name = "set",
           .kind = OptionKind::list,
           .value_name = "NAME=AXIS[,NAME=AXIS...]",
           .help = "set parameters",
           .group = group},
          {.name = "config",
           .kind = OptionKind::value,
           .value_name = "FILE.json",
           .help = "read parameters from a configuration file",
           .group = group,
           .takes_file = true},
          {.name = "zip",
           .kind = OptionKind::list,
           .value_name = "NAME,NAME",
           .help = "advance these axes together",
           .group = group},
          {.name = "exclude",
           .kind = OptionKind::list,
           .value_name = "CONDITION",
           .help = "drop grid points, e.g. 'degree > 8 && dof < 1e5'",
           .group = group}};
}

Verb study_verb(const Program& program, const std::string& lab, const std::string& name) {
  const Study& study = program.registry.find(lab, name, "registry");
  Verb verb;
  verb.name = study.name;
  verb.summary = study.question;
  for (const ParameterSpec& spec : study.parameters) {
    Option option;
    option.name = option_name(spec.name);
    option.kind = spec.positional ? OptionKind::positional : OptionKind::value;
    option.value_name = spec.positional ? spec.name : "AXIS";
    option.help = spec.help;
    option.choices = spec.choices;
    option.takes_file = spec.type == ParameterType::file;
    option.many = spec.positional && option.takes_file;
    option.group = "Parameters";
    verb.options.push_back(std::move(option));
  }
  for (Option& option : parameter_options()) verb.options.push_back(std::move(option));
  for (const OutputSpec& output : study.outputs) {
    verb.options.push_back({.name = output.name,
                            .kind = OptionKind::value,
                            .value_name = "FILE",
                            .help = output.help,
                            .group = "Files",
                            .takes_file = true});
  }
  for (Option& option : sweep_options()) verb.options.push_back(std::move(option));
  verb.help = [&study](const Program&) { return study_help(study); };
  verb.run = [&study](Program& p, const Arguments& arguments) {
    return run_study(p, study, arguments);
  };
  return verb;
}

}  // namespace hpclab::app
