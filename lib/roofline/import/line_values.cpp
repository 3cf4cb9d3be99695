// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/import/line_values.hpp"

#include "core/error.hpp"
#include "formats/fields.hpp"

#include <fmt/format.h>

namespace hpclab::roofline::import {

using formats::PrintedNumber;

std::optional<std::string_view> word_after(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    if (before != ' ' && before != '\t' && before != '(' && before != '[') continue;
    const std::string_view rest = formats::trimmed(line.substr(at + key.size()));
    return rest.substr(0, std::min(rest.find_first_of(" \t"), rest.size()));
  }
  return std::nullopt;
}

std::string_view LineValues::require(std::string_view key) const {
  const auto word = find(key);
  if (word && !word->empty()) return *word;
  throw UsageError(fmt::format("{}: the line {} '{}'; was it cut?", lines_.where(),
                               word ? "ends after" : "has no", key));
}

PrintedNumber LineValues::number(std::string_view key) const {
  return formats::require_printed_number(require(key), key, lines_.where());
}

PrintedNumber LineValues::positive(std::string_view key) const {
  return require_positive(number(key), key, lines_.where());
}

int LineValues::integer(std::string_view key, int low, int high) const {
  const std::int64_t value = formats::require_integer(require(key), key, lines_.where());
  if (value < low || value > high) {
    throw UsageError(
        fmt::format("{}: '{}' is {}, not {} to {}", lines_.where(), key, value, low, high));
  }
  return static_cast<int>(value);
}

PrintedNumber require_positive(const PrintedNumber& number, std::string_view what,
                               const std::string& where) {
  if (number.value > 0) return number;
  throw UsageError(fmt::format("{}: '{}' is {:g}, not above 0", where, what, number.value));
}

}  // namespace hpclab::roofline::import
