// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

namespace hpclab {
namespace {

std::atomic<LogLevel> current_level{LogLevel::info};

constexpr std::array<std::string_view, 5> level_names{"debug", "info", "warning", "error", "quiet"};

struct Terminal {
  std::mutex mutex;  // over the logger and the status line together
  std::string status;
  spdlog::logger logger{"hpclab", std::make_shared<spdlog::sinks::stderr_sink_st>()};

  Terminal() {
    logger.set_pattern("%v");
    logger.set_level(spdlog::level::trace);
    logger.flush_on(spdlog::level::trace);
  }
  void write(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  }
};

Terminal& terminal() {
  // Never destroyed: static objects may log while they end.
  static Terminal* one = new Terminal;
  return *one;
}

constexpr std::string_view erase_line = "\r\x1b[K";

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

struct Style {
  std::string_view prefix;
  std::string_view colour;
  spdlog::level::level_enum severity;
};

Style style_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return {"debug: ", "\x1b[2m", spdlog::level::debug};
    case LogLevel::warning:
      return {"warning: ", "\x1b[33m", spdlog::level::warn};
    case LogLevel::error:
      return {"error: ", "\x1b[31m", spdlog::level::err};
    case LogLevel::info:
    case LogLevel::quiet:
      break;
  }
  return {"", "", spdlog::level::info};
}

}  // namespace

void set_log_level(LogLevel level) {
  current_level = level;
}

LogLevel log_level() {
  return current_level;
}

LogLevel parse_log_level(std::string_view name) {
  for (std::size_t i = 0; i < level_names.size(); ++i) {
    if (name == level_names[i]) return static_cast<LogLevel>(i);
  }
  const std::vector<std::string> valid(level_names.begin(), level_names.end());
  throw UsageError(fmt::format("log level '{}' is unknown{}", name, suggestion(name, valid)));
}

bool stderr_is_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

void log_line(LogLevel level, std::string_view text) {
  if (level < log_level() || level == LogLevel::quiet) return;
  const Style style = style_of(level);
  const bool coloured = !style.colour.empty() && stderr_is_terminal() && !is_set("NO_COLOR");
  const std::string line = coloured ? fmt::format("{}{}\x1b[0m{}", style.colour, style.prefix, text)
                                    : fmt::format("{}{}", style.prefix, text);
  Terminal& out = terminal();
  const std::lock_guard lock(out.mutex);
  if (!out.status.empty()) out.write(erase_line);
  out.logger.log(style.severity, spdlog::string_view_t(line.data(), line.size()));
  if (!out.status.empty()) out.write(out.status);
}

void show_status_line(std::string_view text) {
  Terminal& out = terminal();
  const std::lock_guard lock(out.mutex);
  if (text == out.status) return;
  out.status = text;
  out.write(fmt::format("{}{}", erase_line, text));
}

}  // namespace hpclab
