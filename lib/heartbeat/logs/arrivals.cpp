// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/logs/arrivals.hpp"

#include "core/error.hpp"
#include "formats/fields.hpp"

#include <string>

#include <fmt/format.h>

namespace hpclab::heartbeat::logs {

std::vector<Arrival> read_arrivals(formats::LineReader& lines) {
  std::vector<Arrival> arrivals;
  std::vector<std::string_view> words;
  std::string blanked;
  std::string_view line;
  bool header_seen = false;
  while (lines.next(line)) {
    blanked.assign(line);
    for (char& c : blanked) c = c == ',' || c == ';' ? ' ' : c;
    formats::split_words(blanked, words);
    if (words.empty() || words[0].front() == '#') continue;
    if (arrivals.empty() && !header_seen && !formats::number_in(words[0])) {
      header_seen = true;
      continue;
    }
    if (words.size() > 2) {
      throw UsageError(
          fmt::format("{}: {} fields, expected a time, or a time and a sequence number",
                      lines.where(), words.size()));
    }
    Arrival arrival;
    arrival.time_s = formats::require_number(words[0], "time", lines.where());
    arrival.sequence = words.size() == 2
                           ? formats::require_integer(words[1], "sequence", lines.where())
                           : static_cast<std::int64_t>(arrivals.size());
    if (arrival.time_s < -1e9 || arrival.time_s > 4e9) {
      throw UsageError(
          fmt::format("{}: a time of {} s is out of range", lines.where(), arrival.time_s));
    }
    if (!arrivals.empty() && arrival.time_s < arrivals.back().time_s) {
      throw UsageError(
          fmt::format("{}: {} s is earlier than the line above; times have to increase",
                      lines.where(), arrival.time_s));
    }
    arrivals.push_back(arrival);
  }
  if (arrivals.size() < 3) {
    throw UsageError(fmt::format("{}: {} arrivals are too few", lines.name(), arrivals.size()));
  }
  return arrivals;
}

}  // namespace hpclab::heartbeat::logs
