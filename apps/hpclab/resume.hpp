// hpclab: SPDX-License-Identifier: Apache-2.0
//
// --resume: what an earlier run has left in the file of records.
#pragma once

#include "core/case.hpp"

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab::app {

/// Records of finished cases by id, without the failed ones where they are to be tried again. Cuts
/// a torn last line off the file, and says so; says how many of `cases` were measured under another
/// stopping rule than they would be now.
std::unordered_map<std::string, Json> finished_cases(const std::filesystem::path& file,
                                                     const std::vector<Case>& cases,
                                                     bool retry_failed);

}  // namespace hpclab::app
