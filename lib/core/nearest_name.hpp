// hpclab: SPDX-License-Identifier: Apache-2.0
//
// "Did you mean": the nearest valid name for a misspelt one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hpclab {

/// Optimal string alignment distance (insertions, deletions, substitutions, swaps of neighbours),
/// ASCII case ignored. O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The valid name nearest to `word`, the first one on a tie. One further away than max(2, half of
/// the word's length) would only confuse: then the first name that `word` (two letters or more)
/// begins, else empty.
std::string nearest_name(std::string_view word, std::span<const std::string_view> valid);

}  // namespace hpclab
