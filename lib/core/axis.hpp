// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Axis grammar: `4`, `1,2,8`, `1:8`, `1:9:2`, `1Ki:1Gi:*4`; and `--set a=1,2,b=3`.
#pragma once

#include "core/parameter.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpclab {

/// Most values that one axis may have.
inline constexpr std::size_t max_axis_values = 1'000'000;

/// The checked values of an axis for one parameter. Ranges (`low:high[:step|:*factor]`, ends
/// included) are for numbers only; a list may mix values and ranges. Throws UsageError for an empty
/// axis, a wrong value, or a range that does not advance.
std::vector<Json> parse_axis(const ParameterSpec& spec, std::string_view text,
                             const std::string& where);

/// An axis from a configuration file: a single value, an axis text for numbers, or a list of
/// values. `pointer` is the JSON pointer of the value, for messages.
std::vector<Json> axis_from_json(const ParameterSpec& spec, const Json& value,
                                 const std::string& where, const std::string& pointer);

/// Splits `a=1,2,b=3` into (a, "1,2") and (b, "3"): a comma followed by `name=` starts the next
/// assignment. Text within single or double quotes is never split; parse_axis removes the quotes.
std::vector<std::pair<std::string, std::string>> split_assignments(std::string_view text,
                                                                   const std::string& where);

}  // namespace hpclab
