// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A claim: a figure from outside - a paper, a log, an independent oracle, a closed form - that a
// study must reproduce within a stated tolerance. One file a study holds them,
// configs/claims/LAB/STUDY.json; configs/claims/README.md describes the format.
#pragma once

#include "core/claim_address.hpp"
#include "core/claim_tolerance.hpp"
#include "core/registry.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab {

/// What the expected figure rests on. Kinds are counted apart: a closed form is no measurement.
enum class ClaimKind { published, logged, independent_oracle, closed_form };
inline constexpr std::array all_claim_kinds{ClaimKind::published, ClaimKind::logged,
                                            ClaimKind::independent_oracle, ClaimKind::closed_form};
std::string name_of(ClaimKind kind);

/// The case of the study that is looked at.
struct ClaimCase {
  const Study* study = nullptr;
  Method method = Method::model;
  std::optional<Backend> backend;
  std::string machine;  ///< a shipped profile; empty where the study reads none
  std::uint64_t seed = 1;
  Json parameters = Json::object();  ///< those given, checked, one value each
};

/// One figure of it.
struct ClaimTerm {
  ClaimAddress address;
  ClaimCase of;
};

/// A field of a line of a text file in the data folder: lines and fields are split at blanks.
struct ClaimFileCell {
  std::string path;   ///< below the data folder
  std::string line;   ///< the words that the line starts with
  int column = 1;     ///< the field, counted from 1
  double factor = 1;  ///< to SI units
};

struct Claim {
  std::string
      id;  ///< unique in its file; claims made by a list carry its element: "peak (degree=3)"
  ClaimTerm ours;
  std::optional<ClaimTerm> over;  ///< what ours is divided by
  double divisor = 1;             ///< the same as a number
  Json expected;                  ///< a number, a text, or [low, high]; null when a file holds it
  std::optional<ClaimFileCell> expected_in;
  ClaimTolerance tolerance;
  std::string source;
  ClaimKind kind = ClaimKind::published;
  std::optional<std::string> needs_gpu;  ///< part of the device's name; empty: any device
  std::vector<std::string> needs_data;   ///< files below the data folder, beside those named above
  std::string known_not_met;             ///< why it is not met; empty when it should be
};

/// The claims of a file. Lists (`for_each`) and tables are expanded into one claim a figure. Throws
/// UsageError with a JSON pointer for unknown keys (and the nearest known one), names that the
/// study does not have, values out of range, and figures that do not suit their tolerance.
std::vector<Claim> claims_from_json(const Json& document, const Registry& registry,
                                    const std::string& where);

/// The same from a file that must lie in the folder of its lab and bear its study's name.
std::vector<Claim> read_claims(const std::filesystem::path& path, const Registry& registry);

}  // namespace hpclab
