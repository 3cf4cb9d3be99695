// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Messages for the user, on stderr only: stdout carries data. One call is one line, never mixed
// with another thread's line or with the progress bar.
#pragma once

#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace hpclab {

enum class LogLevel { debug, info, warning, error, quiet };

/// Messages below this level are dropped; `quiet` drops all. The default is info.
void set_log_level(LogLevel level);
LogLevel log_level();

/// debug, info, warning, error or quiet; throws UsageError with the nearest of them.
LogLevel parse_log_level(std::string_view name);

/// Writes "warning: text" (info without a prefix). The prefix is coloured when stderr is a
/// terminal, NO_COLOR (no-color.org) is unset or empty, and TERM is not "dumb".
void log_line(LogLevel level, std::string_view text);

template <typename... Arguments>
void log_formatted(LogLevel level, fmt::format_string<Arguments...> format,
                   Arguments&&... arguments) {
  if (level < log_level()) return;
  log_line(level, fmt::vformat(format, fmt::make_format_args(arguments...)));
}
template <typename... Arguments>
void log_debug(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_formatted(LogLevel::debug, format, std::forward<Arguments>(arguments)...);
}
template <typename... Arguments>
void log_info(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_formatted(LogLevel::info, format, std::forward<Arguments>(arguments)...);
}
template <typename... Arguments>
void log_warning(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_formatted(LogLevel::warning, format, std::forward<Arguments>(arguments)...);
}
template <typename... Arguments>
void log_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_formatted(LogLevel::error, format, std::forward<Arguments>(arguments)...);
}

/// The line that stays below the log on a terminal (core/progress.hpp draws it). Log lines are
/// written above it. An empty text removes it.
void show_status_line(std::string_view text);

/// Whether stderr is a terminal that understands cursor movement.
bool stderr_is_terminal();

}  // namespace hpclab
