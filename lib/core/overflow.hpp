// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A record has at most 64 KiB. What does not fit moves into a file beside the record file.
#pragma once

#include "core/json.hpp"

#include <filesystem>

namespace hpclab {

/// The record itself when it fits. Otherwise first samples are thinned to 512 (a note says so),
/// then the largest tables move to `folder`/<case id>-<table>.json, listed in `files` with their
/// sha256. Throws CaseFailed when there is no folder (records go to standard output) and the record
/// still does not fit.
Json fit_record(Json record, const std::filesystem::path& folder);

}  // namespace hpclab
