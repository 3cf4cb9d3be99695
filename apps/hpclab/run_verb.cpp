// hpclab: SPDX-License-Identifier: Apache-2.0
//
// `hpclab run CONFIG.json`: experiments over any labs in one file.
#include "core/json_file.hpp"
#include "hpclab/program.hpp"
#include "hpclab/sweep.hpp"
#include "hpclab/verb.hpp"

#include <filesystem>
#include <set>

#include <fmt/format.h>

namespace hpclab::app {
namespace {

// A file as given, or one of the shipped configurations by its name below configs/.
std::filesystem::path find_config(const std::string& name) {
  std::error_code error;  // a name that is too long is no file either
  if (std::filesystem::exists(name, error)) return name;
  std::filesystem::path shipped = share_folder() / "configs" / name;
  if (std::filesystem::path(name).is_relative() && std::filesystem::exists(shipped, error))
    return shipped;
  throw UsageError(fmt::format(
      "cannot read '{}': no such file, and no shipped configuration of that name", name));
}

ExitCode run(Program& program, const Arguments& arguments) {
  SweepRequest request;
  request.skip_unavailable = !arguments.has("backend");
  for (const std::string& name : arguments.all("config")) {
    const std::filesystem::path path = find_config(name);
    std::vector<std::filesystem::path> files{path};
    if (std::filesystem::is_directory(path)) {
      files.clear();
      for (const auto& entry : std::filesystem::directory_iterator(path)) {
        if (entry.path().extension() == ".json") files.push_back(entry.path());
      }
      std::sort(files.begin(), files.end());
      if (files.empty())
        throw UsageError(fmt::format("'{}': the folder holds no .json file", name));
    }
    for (const auto& file : files) {
      for (Experiment& experiment :
           experiments_from_json(read_json_file(file), program.registry, file.string())) {
        if (arguments.has("machine")) experiment.machines = comma_words(arguments, "machine");
        request.experiments.push_back(std::move(experiment));
      }
    }
  }
  for (const Study& study : program.registry.studies()) {
    for (const OutputSpec& output : study.outputs) {
      if (const auto path = arguments.one(output.name))
        request.outputs.emplace_back(output.name, *path);
    }
  }
  return run_sweep(program, request, arguments);
}

}  // namespace

Verb run_verb(const Program& program) {
  Verb verb;
  verb.name = "run";
  verb.summary = "runs the experiments of configuration files or of a folder of them";
  verb.options = {{.name = "config",
                   .kind = OptionKind::positional,
                   .value_name = "CONFIG.json",
                   .help = "files, folders, or shipped names such as quickstart.json",
                   .required = true,
                   .many = true,
                   .takes_file = true}};
  for (Option& option : sweep_options()) {
    // What an experiment states in its file is not overridden for all of them at once.
    if (option.name == "method" || option.name == "backend" || option.name == "seed") continue;
    option.group = "Options";
    verb.options.push_back(std::move(option));
  }
  std::set<std::string> outputs;  // studies may share the name of a file they write
  for (const Study& study : program.registry.studies()) {
    for (const OutputSpec& output : study.outputs) {
      if (!outputs.insert(output.name).second) continue;
      verb.options.push_back({.name = output.name,
                              .kind = OptionKind::value,
                              .value_name = "FILE",
                              .help = output.help,
                              .group = "Files",
                              .takes_file = true});
    }
  }
  verb.run = run;
  return verb;
}

}  // namespace hpclab::app
