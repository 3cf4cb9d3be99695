// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Runs cases: predictions first (in parallel where asked), then measurements one after another,
// each paired with its predictions and handed out as a record as soon as it ends.
#pragma once

#include "core/case.hpp"
#include "core/context.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace hpclab {

struct RunOptions {
  std::string run_id;
  std::uint64_t jobs =
      1;  ///< threads for model and simulate cases; measurements never share the machine
  StopToken stop;
  SamplerOptions sampler;
  /// Measurements take one sample each, within this window; their records say so and carry no
  /// interval. Stopping rules of cases are ignored.
  std::optional<ProfilerHook> profile;
  /// Folder for tables and samples that do not fit a record; empty: such a case fails.
  std::filesystem::path overflow_folder;
  /// Records stay in memory and may be of any size; overflow_folder is not used.
  bool whole_records = false;
  /// Records of an earlier run by case id: those cases are not run again.
  std::unordered_map<std::string, Json> finished;
  std::function<void(const Json&)> take_record;  ///< called in order, from one thread at a time
  std::function<void(std::size_t done, std::size_t total)> progress;  ///< may be empty
};

struct RunOutcome {
  std::uint64_t ok = 0;
  std::uint64_t failed = 0;
  std::uint64_t skipped = 0;
  std::uint64_t already_finished = 0;
  bool interrupted = false;
  double seconds = 0;
  std::vector<Json>
      records;  ///< of this run and, before each other, those already finished, in case order
};

/// Errors of a case become its record; errors of take_record (a full disk) end the run and are
/// rethrown.
RunOutcome run_cases(const std::vector<Case>& cases, const RunOptions& options);

}  // namespace hpclab
