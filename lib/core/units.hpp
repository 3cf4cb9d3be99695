// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Units live in names: a value called `bandwidth_bytes_per_s` is in bytes per second. This file is
// the one table of suffixes, the one place that prints a value for people and parses a number from
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hpclab {

/// The unit that a name's suffix stands for, e.g. "bytes/s" for `bandwidth_bytes_per_s`, "s" for
/// `time_s`, "" for a plain count. `_ratio` has the unit "ratio".
std::string unit_of(std::string_view value_name);

/// The name without its unit suffix: "bandwidth" for `bandwidth_bytes_per_s`.
std::string stem_of(std::string_view value_name);

/// A value scaled for reading: {"12.3", "GB/s"}; four significant digits. Ratios become per cent
/// when the name ends in `error_ratio` or `of_theory_ratio`, or starts with `fraction_`.
struct Readable {
  std::string number;
  std::string unit;
  std::string text() const { return unit.empty() ? number : number + " " + unit; }
};
Readable readable(std::string_view value_name, double value);

/// Half width of an interval relative to its value as "0.4 %".
std::string readable_percent(double ratio);

/// Parses `12`, `1.5e9`, `4Ki`, `2M`; suffixes k M G T (powers of 1000) and Ki Mi Gi Ti (powers of
/// 1024). Returns nullopt when the text is not such a number.
std::optional<double> parse_number(std::string_view text);

/// A byte count as the shortest exact text: 4096 -> "4Ki".
std::string readable_bytes(double bytes);

}  // namespace hpclab
