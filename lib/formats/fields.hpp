// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Pieces of a line: words, numbers, and text made fit for a message or a record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::formats {

/// Without blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// The words between runs of blanks and tabs; replaces the content of `words`.
void split_words(std::string_view line, std::vector<std::string_view>& words);

/// The whole text as a finite decimal number ("-1.5e3", "+2"); nullopt for anything else, "nan",
/// "inf" and numbers beyond double included.
std::optional<double> number_in(std::string_view text);

/// The whole text as an integer of 64 bits; nullopt for anything else.
std::optional<std::int64_t> integer_in(std::string_view text);

/// number_in, or UsageError "where: 'what' is 'text', ...". Says apart what is empty, not finite,
/// and no number.
double require_number(std::string_view text, std::string_view what, const std::string& where);
std::int64_t require_integer(std::string_view text, std::string_view what,
                             const std::string& where);

/// At most `most_bytes` of the text as UTF-8: control characters and bytes that are no UTF-8 become
/// '?'; what was cut shows as "...".
std::string printable(std::string_view text, std::size_t most_bytes = 60);

}  // namespace hpclab::formats
