// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/requests/calendar_time.hpp"

#include "core/error.hpp"
#include "formats/fields.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>

namespace hpclab::kvcache::requests {
namespace {

std::optional<int> digits_at(std::string_view text, std::size_t begin, std::size_t count) {
  int value = 0;
  for (const char c : text.substr(begin, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<double> seconds_in(std::string_view text) {
  for (const std::string_view zone : {"Z", "+00:00"}) {
    if (text.ends_with(zone)) text.remove_suffix(zone.size());
  }
  constexpr std::string_view shape = "dddd-dd-dd dd:dd:dd";
  if (text.size() < shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 'd' && shape[i] != text[i] && !(shape[i] == ' ' && text[i] == 'T')) {
      return std::nullopt;
    }
  }
  const auto year = digits_at(text, 0, 4), month = digits_at(text, 5, 2),
             day = digits_at(text, 8, 2), hour = digits_at(text, 11, 2),
             minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  double fraction = 0;
  if (const std::string_view rest = text.substr(shape.size()); !rest.empty()) {
    const bool digits =
        rest.size() > 1 && rest.size() <= 10 && rest[0] == '.' &&
        std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) return std::nullopt;
    fraction = formats::number_in("0" + std::string(rest)).value_or(0);
  }
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return (static_cast<double>(days) * 24 + *hour) * 3600 + *minute * 60 + *second + fraction;
}

}  // namespace

double calendar_seconds(std::string_view text, const std::string& where) {
  if (const auto seconds = seconds_in(text)) return *seconds;
  throw UsageError(fmt::format("{}: '{}' is no time such as 2023-11-16 18:17:03.98", where,
                               formats::printable(text)));
}

}  // namespace hpclab::kvcache::requests
