// hpclab: SPDX-License-Identifier: Apache-2.0
//
// "Did you mean": the candidate closest to a misspelt word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hpclab {

/// Number of single-character insertions, deletions and replacements between two words
/// (Levenshtein).
int edit_distance(std::string_view a, std::string_view b);

/// The candidate with the smallest edit distance to `word`, the first of equals; "" without any.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

}  // namespace hpclab
