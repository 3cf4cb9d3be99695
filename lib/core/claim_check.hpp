// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Runs the cases that claims are about and compares.
#pragma once

#include "core/case.hpp"
#include "core/claim.hpp"
#include "core/stop_token.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab {

enum class ClaimVerdict { met, not_met, known_not_met, skipped };
std::string name_of(ClaimVerdict verdict);

struct ClaimOutcome {
  ClaimVerdict verdict = ClaimVerdict::skipped;
  Json ours;                          ///< a number or text; null when there is none
  Json expected;                      ///< as in the claim, or the number from its file
  std::optional<double> error_ratio;  ///< ours / expected - 1
  std::string reason;                 ///< of every verdict but met
};

struct ClaimCheckOptions {
  std::function<MachineReference(const std::string& name)> find_machine;
  std::vector<std::filesystem::path> data_folders;  ///< where files of claims lie, in this order
  std::string gpu_name;         ///< of the device that backend cuda measures on; empty without one
  std::vector<Method> methods;  ///< claims of other methods are skipped; empty: all are checked
  std::uint64_t jobs = 1;
  StopToken stop;
  std::function<void(std::size_t done, std::size_t total)>
      progress;  ///< of the cases; may be empty
};

/// One outcome a claim, in order. Each case is run once however many claims look at it. Throws
/// UsageError when a claim states parameters that are none of its case, and Interrupted.
std::vector<ClaimOutcome> check_claims(const std::vector<Claim>& claims, const Registry& registry,
                                       const ClaimCheckOptions& options);

}  // namespace hpclab
