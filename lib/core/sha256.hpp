// hpclab: SPDX-License-Identifier: Apache-2.0
//
// SHA-256 digests: they identify the files that a case read and the profile that a model used.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hpclab {

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits (FIPS 180-4).
std::string sha256_hex(std::string_view bytes);

/// SHA-256 of a file's content; reads in blocks, so that size does not matter.
/// Throws UsageError when the file cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace hpclab
