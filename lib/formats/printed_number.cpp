// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/printed_number.hpp"

#include "formats/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hpclab::formats {
namespace {

// Of a text that is known to be a number.
double half_unit_of(std::string_view text) {
  const std::size_t mark = text.find_first_of("eE");
  int power = 0;
  if (mark != std::string_view::npos) {
    std::string_view exponent = text.substr(mark + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
  }
  const std::string_view digits = text.substr(0, mark);
  const std::size_t point = digits.find('.');
  if (point != std::string_view::npos) power -= static_cast<int>(digits.size() - point - 1);
  return 0.5 * std::pow(10.0, std::clamp(power, -330, 300));  // finite for "0e999" too
}

}  // namespace

std::optional<PrintedNumber> printed_number_in(std::string_view text) {
  const auto value = number_in(text);
  if (!value) return std::nullopt;
  return PrintedNumber{*value, half_unit_of(text)};
}

PrintedNumber require_printed_number(std::string_view text, std::string_view what,
                                     const std::string& where) {
  return {require_number(text, what, where), half_unit_of(text)};
}

}  // namespace hpclab::formats
