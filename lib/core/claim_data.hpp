// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Figures that claims take from a text file - a log, a table - instead of stating them.
#pragma once

#include "core/claim.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hpclab {

/// The file of that name in the first folder that has it.
std::optional<std::filesystem::path> find_data(const std::string& name,
                                               const std::vector<std::filesystem::path>& folders);

/// The number in a field of a file, times its factor. Throws CaseFailed when no line or several
/// lines start as the cell says, or the field is no number.
double number_in_file(const std::filesystem::path& path, const ClaimFileCell& cell);

}  // namespace hpclab
