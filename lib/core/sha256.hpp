// hpclab: SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) of texts and files: case ids, and the proof of which file a case read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hpclab {

/// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// The same of a file's content, read in blocks. Throws UsageError when it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace hpclab
