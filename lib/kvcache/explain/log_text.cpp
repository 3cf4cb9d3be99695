// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/explain/log_text.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace hpclab::kvcache::explain {
namespace {

constexpr double largest = 1152921504606846976.0;  // 2^60
constexpr std::size_t longest_word = 512;

struct Unit {
  std::string_view name;
  double bytes;
};
// These engines print GB and MB and mean binary units; a check finds logs that do not.
constexpr std::array units{Unit{"GiB", 1073741824.0}, Unit{"GB", 1073741824.0},
                           Unit{"MiB", 1048576.0},    Unit{"MB", 1048576.0},
                           Unit{"KiB", 1024.0},       Unit{"bytes", 1.0}};

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

double LoggedBytes::rounding() const {
  return 0.5 * std::pow(10.0, -decimals) * unit_bytes;
}

std::optional<double> LogFacts::number(const std::string& name) const {
  const auto found = numbers.find(name);
  if (found == numbers.end()) return std::nullopt;
  return found->second;
}

const LoggedBytes* LogFacts::size(const std::string& name) const {
  const auto found = sizes.find(name);
  return found == sizes.end() ? nullptr : &found->second;
}

void LogFacts::set_size(const std::string& name, const LoggedBytes& size) {
  LoggedBytes stored = size;
  stored.line = lines;
  sizes[name] = stored;
}

std::optional<std::string_view> after(std::string_view line, std::string_view phrase) {
  const std::size_t at = line.find(phrase);
  if (at == std::string_view::npos) return std::nullopt;
  return line.substr(at + phrase.size());
}

std::optional<double> leading_number(std::string_view text, std::size_t* used) {
  std::size_t at = 0;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\'' || text[at] == '(')) ++at;
  std::string digits;
  bool point = false;
  std::size_t end = at;
  if (end < text.size() && text[end] == '-') digits += text[end++];
  for (; end < text.size() && digits.size() < 40; ++end) {
    const char c = text[end];
    const bool followed = end + 1 < text.size() && is_digit(text[end + 1]);
    if (is_digit(c)) {
      digits += c;
    } else if (c == '.' && !point && followed) {
      digits += c;
      point = true;
    } else if (c == ',' && !point && end > at && is_digit(text[end - 1]) && end + 3 < text.size() &&
               followed && is_digit(text[end + 2]) && is_digit(text[end + 3])) {
      continue;  // 1,234
    } else {
      break;
    }
  }
  double value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || stop == digits.data() || !(std::abs(value) <= largest)) {
    return std::nullopt;
  }
  if (used) *used = end;
  return value;
}

std::optional<double> number_after(std::string_view line, std::string_view phrase) {
  const auto rest = after(line, phrase);
  return rest ? leading_number(*rest) : std::nullopt;
}

std::optional<LoggedBytes> leading_size(std::string_view text) {
  std::size_t used = 0;
  const auto value = leading_number(text, &used);
  if (!value) return std::nullopt;
  const std::string_view number = text.substr(0, used);
  std::string_view rest = text.substr(used);
  while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  for (const Unit& unit : units) {
    if (!rest.starts_with(unit.name)) continue;
    LoggedBytes size;
    size.bytes = *value * unit.bytes;
    size.unit_bytes = unit.bytes;
    size.unit = std::string(unit.name);
    const std::size_t point = number.rfind('.');
    size.decimals =
        point == std::string_view::npos ? 0 : static_cast<int>(number.size() - point - 1);
    // "6.9 GiB" is a rounded 6.90: Python prints no trailing zeros.
    if (size.decimals == 1 && unit.name == "GiB") size.decimals = 2;
    return size;
  }
  return std::nullopt;
}

std::optional<LoggedBytes> size_after(std::string_view line, std::string_view phrase) {
  const auto rest = after(line, phrase);
  return rest ? leading_size(*rest) : std::nullopt;
}

std::optional<LoggedBytes> size_before(std::string_view line, std::string_view phrase) {
  const std::size_t at = line.find(phrase);
  if (at == std::string_view::npos) return std::nullopt;
  // Back over the unit and the number: "... 14.99 GiB".
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] == ' ') --begin;
  while (begin > 0 && std::isalpha(static_cast<unsigned char>(line[begin - 1]))) --begin;
  while (begin > 0 && line[begin - 1] == ' ') --begin;
  while (begin > 0 &&
         (is_digit(line[begin - 1]) || line[begin - 1] == '.' || line[begin - 1] == '-')) {
    --begin;
  }
  return leading_size(line.substr(begin, at - begin));
}

std::optional<std::string> word_after(std::string_view line, std::string_view phrase) {
  const auto rest = after(line, phrase);
  if (!rest || rest->empty()) return std::nullopt;
  std::string_view text = *rest;
  while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const char quote = text[0];
  std::size_t end = 0;
  if (quote == '\'' || quote == '"') {
    text.remove_prefix(1);
    end = text.find(quote);
  } else {
    end = text.find_first_of(",) ]}\t");
  }
  const std::string_view word = text.substr(0, end);
  if (word.empty() || word.size() > longest_word) return std::nullopt;
  return std::string(word);
}

}  // namespace hpclab::kvcache::explain
