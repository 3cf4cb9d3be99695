// hpclab: SPDX-License-Identifier: Apache-2.0
//
// "Did you mean": the valid name nearest to a misspelt one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab {

/// Number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
/// (optimal string alignment distance), ASCII case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the smallest distance, when it is near enough to be meant (a third of the
/// longer name, at least 2), or that starts with `name`; nullopt otherwise.
std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& candidates);

/// The tail of an error message: "; did you mean 'x'? (valid: a, b, c)". The list is cut after 12
/// names.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace hpclab
