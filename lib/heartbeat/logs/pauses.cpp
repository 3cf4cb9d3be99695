// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/logs/pauses.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "formats/fields.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace hpclab::heartbeat::logs {
namespace {

using formats::LineReader;

// The number that ends right before `unit` at the end of the line: "... 3.214ms".
std::optional<double> number_before(std::string_view text, std::string_view unit) {
  text = formats::trimmed(text);
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  const std::size_t blank = text.find_last_of(" \t)");
  return formats::number_in(blank == std::string_view::npos ? text : text.substr(blank + 1));
}

// The number that follows a phrase: "ran for 600047 milliseconds".
std::optional<double> number_after(std::string_view line, std::string_view phrase) {
  const std::size_t at = line.find(phrase);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = formats::trimmed(line.substr(at + phrase.size()));
  const std::size_t end = rest.find_first_not_of("0123456789.eE+-");
  return formats::number_in(rest.substr(0, end));
}

// Up-time decoration of unified logging, "[12.345s]" or "[12345ms]".
std::optional<double> uptime_of(std::string_view line) {
  while (line.starts_with('[')) {
    const std::size_t end = line.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = line.substr(1, end - 1);
    if (const auto ms = number_before(inside, "ms")) return *ms * 1e-3;
    if (const auto s = number_before(inside, "s")) return *s;
    line.remove_prefix(end + 1);
  }
  return std::nullopt;
}

constexpr std::string_view step_phrase = "elapsed time per iteration (ms):";
constexpr std::string_view watchdog_phrase = "ran for ";

PauseFormat recognise(std::string_view line) {
  if (line.find("Pause ") != std::string_view::npos && number_before(line, "ms")) {
    return PauseFormat::gc;
  }
  if (line.find(step_phrase) != std::string_view::npos) return PauseFormat::steps;
  if (line.find("before timing out") != std::string_view::npos) return PauseFormat::watchdog;
  return PauseFormat::automatic;
}

class Reader {
 public:
  Reader(LineReader& lines, PauseFormat format) : lines_(lines) { log_.format = format; }

  PauseLog read() {
    std::string_view line;
    while (lines_.next(line)) {
      line = formats::trimmed(line);
      if (line.empty() || line.front() == '#') continue;
      if (log_.format == PauseFormat::automatic) settle(line);
      take(line);
    }
    if (log_.format == PauseFormat::automatic) log_.format = PauseFormat::column;
    if (log_.format == PauseFormat::steps) cut_steps();
    if (log_.format == PauseFormat::gc || has_times_) log_.observed_s = last_ - first_;
    if (log_.pauses_s.empty()) {
      throw UsageError(
          fmt::format("{}: no pause was found (read as {})", lines_.name(), name_of(log_.format)));
    }
    return std::move(log_);
  }

 private:
  // A log of a program may begin with other lines; a column of numbers begins with a number or one
  // header line.
  void settle(std::string_view line) {
    log_.format = recognise(line);
    if (log_.format != PauseFormat::automatic) return;
    std::vector<std::string_view> words;
    split(line, words);
    if (formats::number_in(words.front())) log_.format = PauseFormat::column;
  }

  static void split(std::string_view line, std::vector<std::string_view>& words) {
    words.clear();
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find_first_of(",;\t ", begin), line.size());
      if (end > begin) words.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    if (words.empty()) words.push_back(line);
  }

  void take(std::string_view line) {
    switch (log_.format) {
      case PauseFormat::automatic:
        if (++log_.passed_over > 10'000) {
          throw UsageError(fmt::format(
              "{}: not recognised within 10,000 lines; say how to read it with pauses_as",
              lines_.where()));
        }
        return;
      case PauseFormat::column:
        return take_column(line);
      case PauseFormat::gc:
        return take_gc(line);
      case PauseFormat::watchdog:
        if (line.find("before timing out") == std::string_view::npos) break;
        if (const auto ms = number_after(line, watchdog_phrase)) return add(*ms * 1e-3);
        break;
      case PauseFormat::steps:
        return take_step(line);
    }
    ++log_.passed_over;
  }

  void add(double pause) {
    if (pause < 0 || !std::isfinite(pause)) {
      throw UsageError(fmt::format("{}: a pause of {} s is none", lines_.where(), pause));
    }
    log_.pauses_s.push_back(pause);
  }

  void take_column(std::string_view line) {
    split(line, words_);
    if (words_.size() > 2) {
      throw UsageError(fmt::format("{}: {} fields, expected a pause, or a start and a pause",
                                   lines_.where(), words_.size()));
    }
    // One header is allowed before the first number.
    if (log_.pauses_s.empty() && log_.passed_over == 0 && !formats::number_in(words_.back())) {
      ++log_.passed_over;
      return;
    }
    if (words_.size() == 2) at(formats::require_number(words_[0], "start", lines_.where()), true);
    add(formats::require_number(words_.back(), "pause", lines_.where()));
  }

  void at(double time, bool from_column) {
    if (has_times_ && time < last_) {
      throw UsageError(fmt::format("{}: {} s is earlier than {} s above; times have to increase",
                                   lines_.where(), time, last_));
    }
    if (!has_times_) first_ = time;
    has_times_ = has_times_ || from_column || log_.format == PauseFormat::gc;
    last_ = time;
  }

  void take_gc(std::string_view line) {
    const auto ms =
        line.find("Pause ") != std::string_view::npos ? number_before(line, "ms") : std::nullopt;
    if (!ms) {
      ++log_.passed_over;
      return;
    }
    if (const auto time = uptime_of(line)) at(*time, false);
    add(*ms * 1e-3);
  }

  void take_step(std::string_view line) {
    if (const auto ms = number_after(line, step_phrase)) return add(*ms * 1e-3);
    if (const auto seconds = formats::number_in(line)) return add(*seconds);
    ++log_.passed_over;
  }

  void cut_steps() {
    if (log_.pauses_s.empty()) return;
    const double middle = median(log_.pauses_s);
    std::vector<double> pauses;
    for (const double step : log_.pauses_s) {
      log_.observed_s += step;
      if (step > 1.5 * middle) pauses.push_back(step - middle);
    }
    log_.median_step_s = middle;
    log_.pauses_s = std::move(pauses);
  }

  LineReader& lines_;
  PauseLog log_;
  std::vector<std::string_view> words_;
  bool has_times_ = false;
  double first_ = 0;
  double last_ = 0;
};

}  // namespace

const char* name_of(PauseFormat format) {
  switch (format) {
    case PauseFormat::automatic:
      return "automatic";
    case PauseFormat::column:
      return "column";
    case PauseFormat::gc:
      return "gc";
    case PauseFormat::steps:
      return "steps";
    case PauseFormat::watchdog:
      return "watchdog";
  }
  return "?";
}

PauseLog read_pauses(LineReader& lines, PauseFormat format) {
  PauseLog log = Reader(lines, format).read();
  if (!std::isfinite(log.observed_s)) log.observed_s = 0;
  return log;
}

}  // namespace hpclab::heartbeat::logs
