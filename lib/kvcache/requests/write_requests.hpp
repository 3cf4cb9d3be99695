// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Requests as Mooncake JSON lines, the format that most tools for serving traces read.
#pragma once

#include "kvcache/requests/request_source.hpp"

#include <cstdint>
#include <filesystem>

namespace hpclab::kvcache::requests {

/// Writes what `source` still has and returns how many. UsageError when the file cannot be written.
std::uint64_t write_mooncake(RequestSource& source, const std::filesystem::path& path);

}  // namespace hpclab::kvcache::requests
