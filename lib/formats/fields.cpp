// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/fields.hpp"

#include "core/error.hpp"

#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::formats {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// from_chars takes no plus sign, and "+-1" is no number.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class Number>
std::from_chars_result parse(std::string_view text, Number& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value);
}

// Bytes of the UTF-8 character at the front; 0 when there is none (RFC 3629).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return !overlong && !surrogate && continues(1) && continues(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool outside = (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
    return !outside && continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return;
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    words.push_back(line.substr(begin, at - begin));
  }
}

std::optional<double> number_in(std::string_view text) {
  text = without_plus(text);
  double value = 0;
  const auto [end, error] = parse(text, value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<std::int64_t> integer_in(std::string_view text) {
  text = without_plus(text);
  std::int64_t value = 0;
  const auto [end, error] = parse(text, value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

double require_number(std::string_view text, std::string_view what, const std::string& where) {
  if (const auto value = number_in(text)) return *value;
  if (text.empty()) throw UsageError(fmt::format("{}: '{}' is empty", where, what));
  double value = 0;
  const std::string_view number = without_plus(text);
  const auto [end, error] = parse(number, value);
  const bool whole = end == number.data() + number.size();
  const char* why = "which is no number";
  if (error == std::errc() && whole) why = "which is not finite";
  if (error == std::errc::result_out_of_range && whole) why = "which is beyond a double";
  throw UsageError(fmt::format("{}: '{}' is '{}', {}", where, what, printable(text), why));
}

std::int64_t require_integer(std::string_view text, std::string_view what,
                             const std::string& where) {
  if (const auto value = integer_in(text)) return *value;
  throw UsageError(fmt::format("{}: '{}' is '{}', which is no integer of 64 bits", where, what,
                               printable(text)));
}

std::string printable(std::string_view text, std::size_t most_bytes) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::size_t used = length == 0 ? 1 : length;
    if (result.size() + used > most_bytes) return result + "...";
    const bool control = used == 1 && std::iscntrl(static_cast<unsigned char>(text[0]));
    if (length == 0 || control) {
      result += '?';
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(used);
  }
  return result;
}

}  // namespace hpclab::formats
