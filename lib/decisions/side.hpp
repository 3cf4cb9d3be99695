// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One side of a comparison: what the records of one or more files say about each case, kept small
// enough for a million of them.
#pragma once

#include "core/json.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab::decisions {

/// The quantity that is compared, and which way it gets better.
struct Quantity {
  std::string name;
  bool higher_is_better = false;
  bool operator==(const Quantity&) const = default;
};

/// Cases of one study, method and backend.
struct CaseGroup {
  std::string lab;
  std::string study;
  std::string method;
  std::string backend;  ///< empty for model and simulate
  bool operator==(const CaseGroup&) const = default;
  bool measured() const { return method == "measure"; }
  std::string text() const;  ///< "roofline operator, measure on cpu"
};

/// What one process found for a case.
struct ProcessFigure {
  std::uint32_t file = 0;  ///< index into Side::files
  std::uint32_t run = 0;   ///< index into Side::run_ids
  double value = 0.0;      ///< of the compared quantity
  /// Raw samples, as costs (smaller is better); at most 200, evenly thinned.
  std::vector<double> costs;
};

struct SideCase {
  std::uint64_t id = 0;
  std::uint32_t group = 0;  ///< index into Side::groups
  std::uint32_t quantity = no_quantity;
  std::uint64_t seed = 0;
  std::string parameters;              ///< compact JSON, as recorded
  std::vector<ProcessFigure> figures;  ///< of the processes that have the quantity
  std::string trouble;                 ///< why there are none: failed or skipped with the reason
  bool failed = false;
  static constexpr std::uint32_t no_quantity = UINT32_MAX;
};

struct Side {
  std::vector<std::string> files;
  std::vector<Json> runs;            ///< run records, in order of appearance
  std::vector<std::string> run_ids;  ///< of the case records
  std::vector<CaseGroup> groups;
  std::vector<Quantity> quantities;
  std::vector<SideCase> cases;
  std::unordered_map<std::uint64_t, std::uint32_t> position;  ///< of a case by its id
  std::vector<std::string> stopping_rules;                    ///< all that occur
  std::vector<double> clocks_hz;                              ///< `clock_hz` of measured cases
  std::vector<std::string> warnings;  ///< torn last lines and runs without an end
  std::uint64_t repeated = 0;         ///< records of a run that another file holds too
};

/// Reads the files of one side. A case that several files hold was measured by several processes;
/// within a file it is finished once. The quantity of a case is `value` where given, else the first
/// headline value with a direction that its study declares and the record has, else the first such
/// value. Samples are those of the quantity, else those of the only sampled time or rate. Throws
/// UsageError "file:line: ..." for what is no record of schema 1, "file: ..." for a file without a
/// run, and for a `value` that no study declares.
Side read_side(const std::vector<std::filesystem::path>& files,
               const std::optional<std::string>& value = std::nullopt);

/// The record files that a name means: a file, or the .jsonl files below a folder in order of their
/// names. UsageError when there are none.
std::vector<std::filesystem::path> record_files(const std::string& name);

}  // namespace hpclab::decisions
