// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A machine profile: the ceilings of one machine - bandwidths by level, peaks by precision,
// latencies, clocks, links - each with its source. Models read them; `roofline ceilings` measures
// and writes them. The file format is documented in configs/machines/README.md.
#pragma once

#include "core/json.hpp"

#include <array>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hpclab::machine {

enum class MachineKind { cpu, gpu };

enum class FigureStatus {
  published,  ///< printed by the vendor or a named document
  measured,   ///< measured on such a machine; the source names the log or the run
  derived     ///< computed from other figures; the source is the formula
};

/// One ceiling. The unit is the suffix of its name: _bytes_per_s, _flops_per_s, _ops_per_s, _hz,
/// _s, _bytes, _w, _count.
struct Figure {
  double value = 0;
  std::optional<std::array<double, 2>> interval95;  ///< lower and upper limit around value
  FigureStatus status = FigureStatus::published;
  std::string source;      ///< never empty
  std::string conditions;  ///< clock, size, number of threads; may be empty
};

class MachineProfile {
 public:
  std::string name;  ///< lower case with hyphens: the word given to --machine
  MachineKind kind = MachineKind::cpu;
  std::string description;
  std::filesystem::path file;  ///< where it was read from; empty for a profile in the making
  std::string sha256;          ///< of that file; empty likewise

  /// Adds or replaces a figure. Throws UsageError, with the nearest known name, when group or name
  /// are not in the vocabulary, and when the figure has no source, is not a finite positive number
  /// or lies outside its interval.
  void set(const std::string& group, const std::string& figure_name, Figure figure);

  /// The figure, or nullptr when the profile does not state it.
  const Figure* find(std::string_view group, std::string_view figure_name) const;
  /// The figure; CaseFailed naming profile and figure, and what the group does hold, when missing.
  const Figure& figure(std::string_view group, std::string_view figure_name) const;
  /// figure().value, e.g. require("dram", "read_bytes_per_s").
  double require(std::string_view group, std::string_view figure_name) const;
  /// The first figure that is stated, in the order of preference given: a measured read bandwidth
  /// before a theoretical one. CaseFailed when none is.
  const Figure& first_of(std::string_view group,
                         std::initializer_list<std::string_view> figure_names) const;
  /// 95 % interval of a figure; {value, value} where the source states none.
  std::array<double, 2> interval95(std::string_view group, std::string_view figure_name) const;

  /// All figures by group and name.
  const std::map<std::string, std::map<std::string, Figure>>& figures() const { return figures_; }

 private:
  std::map<std::string, std::map<std::string, Figure>> figures_;
};

const char* name_of(MachineKind kind);
const char* name_of(FigureStatus status);

/// A valid profile name made of any text: lower case, other characters as hyphens.
std::string profile_name_from(std::string_view text);

/// Profile from JSON. `origin` names the file in messages. Throws UsageError with a JSON pointer
/// for unknown keys (and the nearest known one), wrong types and a newer major of the schema.
MachineProfile profile_from_json(const Json& json, const std::string& origin);
Json profile_to_json(const MachineProfile& profile);

/// Reads a profile file; fills `file` and `sha256`. Throws UsageError.
MachineProfile read_profile(const std::filesystem::path& path);
/// Writes beside the target and renames, so that a reader never sees half a file; creates folders.
void write_profile(const MachineProfile& profile, const std::filesystem::path& path);
/// Writes a new profile named after the file, or the figures of `fresh` into the profile that is
/// there: a sweep of one level must not throw away what an earlier one measured of the others.
/// Returns a sentence about it. UsageError when the file is the profile of another kind of machine.
std::string update_profile(const std::filesystem::path& path, MachineProfile fresh);

}  // namespace hpclab::machine
