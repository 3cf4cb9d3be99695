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

/// Deepest nesting of lists and objects that documents and records may have. What walks a parsed
/// value recurses, so that an endless row of brackets would otherwise exhaust the stack.
inline constexpr std::size_t max_json_depth = 256;

/// Whether brackets outside strings nest deeper than `max_json_depth`; for any text, in one pass.
bool nests_too_deep(std::string_view text);

/// Parses strict JSON; UsageError "where: line 3, column 5: ..." on bad syntax, "where: ..." on a
/// repeated key, nesting beyond `max_json_depth` or a number that no double holds.
Json parse_json(std::string_view text, const std::string& where);

Json read_json_file(const std::filesystem::path& path);

/// Throws UsageError with the nearest name when `object` has a key that is not in `allowed`.
/// `pointer` is the JSON pointer of the object ("" for the document).
void require_known_keys(const Json& object, const std::vector<std::string>& allowed,
                        const std::string& where, const std::string& pointer);

/// Writes `text` to a temporary file beside `path` and renames it, so that a reader never sees half
/// a file. UsageError when that cannot be done.
void write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace hpclab
