// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Case records as one flat table, for spreadsheets and data frames.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace hpclab::decisions {

/// Writes a CSV table (RFC 4180, LF) with one row a case record, in the order of the files: file,
/// run, id, lab, study, method, backend, seed, status, reason, one column a parameter (its own
/// name; files and profiles by name), one a value and its `_low95` and `_high95` where any case has
/// an interval, one a text (`text_NAME`). Numbers keep all their digits. A parameter that bears the
/// name of another column gets `parameter_` in front. Reads the files twice and keeps one line in
/// memory. Returns the number of rows. Throws UsageError as readers of records do.
std::uint64_t export_csv(const std::vector<std::filesystem::path>& files,
                         const std::function<void(std::string_view)>& write);

}  // namespace hpclab::decisions
