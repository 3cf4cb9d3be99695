// hpclab: SPDX-License-Identifier: Apache-2.0
//
// From experiments to records on the screen and in a file: what `hpclab LAB STUDY` and `hpclab run`
// share.
#pragma once

#include "core/experiment.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hpclab::app {

/// Options of every sweep (--out, --resume, --shard, ...).
std::vector<Option> sweep_options();

/// Options by which every study takes parameters beside those of its own (--set, --config, ...).
std::vector<Option> parameter_options();

struct SweepRequest {
  std::vector<Experiment> experiments;
  bool skip_unavailable =
      false;                  ///< batch files skip cases of absent backends, a command line refuses
  std::string default_words;  ///< what runs because no parameters were given, said before the cases
  std::vector<std::pair<std::string, std::string>> outputs;  ///< the study's own output options
};

/// Expands, runs, writes and prints. The exit code says how it ended.
ExitCode run_sweep(Program& program, const SweepRequest& request, const Arguments& arguments);

}  // namespace hpclab::app
