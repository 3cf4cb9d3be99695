// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Checked claims as a table for people and as JSON.
#pragma once

#include "core/claim_check.hpp"

#include <string>
#include <vector>

namespace hpclab::app {

/// A table a study with its sources below, then how many of each kind are met.
std::string claims_text(const std::vector<Claim>& claims, const std::vector<ClaimOutcome>& outcomes,
                        bool color);

/// {"claims": [...], "counts": {...}, "kinds": {kind: counts}}.
Json claims_json(const std::vector<Claim>& claims, const std::vector<ClaimOutcome>& outcomes);

}  // namespace hpclab::app
