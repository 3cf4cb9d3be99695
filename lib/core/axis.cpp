// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/axis.hpp"

#include "core/error.hpp"
#include "core/units.hpp"

#include <cmath>

#include <fmt/format.h>

namespace hpclab {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// True when `text` starts with `name=`.
bool starts_assignment(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && is_name_character(text[i])) ++i;
  return i > 0 && i < text.size() && text[i] == '=' && !(text[0] >= '0' && text[0] <= '9');
}

// Pieces between separators outside quotes.
template <class IsCut>
std::vector<std::string_view> split_outside_quotes(std::string_view text, const std::string& where,
                                                   IsCut is_cut) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == ',' && is_cut(text.substr(i + 1))) {
      pieces.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (quote != 0)
    throw UsageError(fmt::format("{}: a quote {} is not closed in '{}'", where, quote, text));
  pieces.push_back(text.substr(begin));
  return pieces;
}

std::string unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
      text.back() == text.front()) {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

double number_or_throw(std::string_view text, std::string_view whole, const std::string& where) {
  if (const auto value = parse_number(text)) return *value;
  throw UsageError(
      fmt::format("{}: '{}' is not a number in '{}' (numbers may end in k M G Ki Mi Gi; "
                  "ranges are low:high, low:high:step, low:high:*factor)",
                  where, text, whole));
}

void append(std::vector<Json>& values, Json value, const std::string& where) {
  if (values.size() >= max_axis_values) {
    throw UsageError(fmt::format("{}: the axis has more than {} values", where, max_axis_values));
  }
  values.push_back(std::move(value));
}

// low:high, low:high:step, low:high:*factor with both ends included.
void append_range(std::vector<Json>& values, const ParameterSpec& spec, std::string_view text,
                  const std::string& where) {
  const std::size_t first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  const double low = number_or_throw(text.substr(0, first), text, where);
  const double high = number_or_throw(
      text.substr(first + 1,
                  second == std::string_view::npos ? std::string_view::npos : second - first - 1),
      text, where);
  double step = 1;
  bool multiply = false;
  if (second != std::string_view::npos) {
    std::string_view rest = text.substr(second + 1);
    multiply = rest.starts_with('*');
    if (multiply) rest.remove_prefix(1);
    step = number_or_throw(rest, text, where);
  }
  if (multiply ? !(step > 1 && low > 0) : !(step > 0)) {
    throw UsageError(
        fmt::format("{}: the range '{}' does not advance (a step must be above 0; a *factor "
                    "above 1 needs a low end above 0)",
                    where, text));
  }
  if (low > high) {
    throw UsageError(
        fmt::format("{}: the range '{}' is empty: its low end is above its high end", where, text));
  }
  const double slack = 1 + 1e-12;  // rounding must not drop the high end of 0:1:0.1
  for (std::int64_t i = 0;; ++i) {
    const double n = static_cast<double>(i);
    const double value = multiply ? low * std::pow(step, n) : low + n * step;
    const double limit = multiply ? high * slack : high + step * 1e-9;
    if (value > limit) break;
    const double exact = std::min(value, high);
    // Powers of a factor are rounded to whole numbers; a step that leaves them is an error of
    // check().
    const bool round = multiply && spec.type == ParameterType::integer;
    append(values, spec.check(Json(round ? std::round(exact) : exact), where), where);
  }
}

}  // namespace

std::vector<Json> parse_axis(const ParameterSpec& spec, std::string_view text,
                             const std::string& where) {
  std::vector<Json> values;
  for (std::string_view piece :
       split_outside_quotes(text, where, [](std::string_view) { return true; })) {
    if (piece.empty() && spec.type != ParameterType::text) {
      throw UsageError(fmt::format("{}: '{}' has an empty value; valid: {}", where, spec.name,
                                   spec.domain_text()));
    }
    if (spec.numeric() && piece.find(':') != std::string_view::npos) {
      append_range(values, spec, piece, where);
    } else {
      append(values, spec.check_text(unquoted(piece), where), where);
    }
  }
  return values;
}

std::vector<Json> axis_from_json(const ParameterSpec& spec, const Json& value,
                                 const std::string& where, const std::string& pointer) {
  if (!value.is_array()) {
    const std::string place = where + ": " + pointer;
    if (spec.numeric() && value.is_string()) {
      return parse_axis(spec, value.get_ref<const std::string&>(), place);
    }
    return {spec.check(value, place)};
  }
  if (value.empty()) {
    throw UsageError(fmt::format("{}: {}: the axis of '{}' is empty", where, pointer, spec.name));
  }
  std::vector<Json> values;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string place = fmt::format("{}: {}/{}", where, pointer, i);
    if (spec.numeric() && value[i].is_string()) {
      for (Json& one : parse_axis(spec, value[i].get_ref<const std::string&>(), place)) {
        append(values, std::move(one), place);
      }
    } else {
      append(values, spec.check(value[i], place), place);
    }
  }
  return values;
}

std::vector<std::pair<std::string, std::string>> split_assignments(std::string_view text,
                                                                   const std::string& where) {
  std::vector<std::pair<std::string, std::string>> assignments;
  for (std::string_view piece : split_outside_quotes(text, where, starts_assignment)) {
    const std::size_t equals = piece.find('=');
    if (!starts_assignment(piece)) {
      throw UsageError(fmt::format("{}: '{}' is not of the form name=value", where, piece));
    }
    std::string name(piece.substr(0, equals));
    std::string axis(piece.substr(equals + 1));
    for (const auto& [other, unused] : assignments) {
      if (other == name) throw UsageError(fmt::format("{}: '{}' is set twice", where, name));
    }
    assignments.emplace_back(std::move(name), std::move(axis));
  }
  return assignments;
}

}  // namespace hpclab
