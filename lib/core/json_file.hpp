// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Reading JSON documents that people wrote: errors say file, line and column; a key given twice is
// an error, because which of the two was meant cannot be known.
#pragma once

#include "core/json.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab {

/// The whole file as text. UsageError when it cannot be read or is larger than `limit_bytes`.
std::string read_text_file(const std::filesystem::path& path, std::size_t limit_bytes = 64u << 20);

/// Deeper documents are refused, because printing and hashing a value recurses.
inline constexpr std::size_t max_json_nesting = 256;

/// How deep lists and objects are nested in a JSON text; 0 for a plain value.
std::size_t nesting_of(std::string_view json);

/// Parses strict JSON; UsageError "where: line 3, column 5: ..." on bad syntax, a repeated
/// key, a number beyond double, or nesting beyond max_json_nesting.
Json parse_json(std::string_view text, const std::string& where);

Json read_json_file(const std::filesystem::path& path);

/// Throws UsageError with the nearest name when `object` has a key that is not in `allowed`.
/// `pointer` is the JSON pointer of the object ("" for the document).
void require_known_keys(const Json& object, const std::vector<std::string>& allowed,
                        const std::string& where, const std::string& pointer);

/// Writes `text` to a temporary file beside `path` and renames it, so that a reader never sees half
/// a file. A device or pipe is written to in place; a link keeps leading to the file. UsageError
/// when that cannot be done.
void write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace hpclab
