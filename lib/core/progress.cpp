// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/progress.hpp"

#include "core/log.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace hpclab {
namespace {

constexpr double bar_period_s = 0.1;
constexpr double line_period_s = 10.0;

ProgressMode resolve(ProgressMode mode) {
  if (mode != ProgressMode::automatic) return mode;
  if (log_level() > LogLevel::info) return ProgressMode::silent;
  return stderr_is_terminal() ? ProgressMode::bar : ProgressMode::lines;
}

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10) return size.ws_col - 1;
  return 79;
}

std::string duration_text(double time_s) {
  const auto seconds = static_cast<long long>(time_s + 0.5);
  if (seconds < 100) return fmt::format("{} s", seconds);
  if (seconds < 6000) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

}  // namespace

std::string progress_text(std::size_t done, std::size_t total, double elapsed_s,
                          const std::string& current, std::size_t columns) {
  constexpr std::size_t width = 20;
  const std::size_t filled = total == 0 ? width : std::min(width, done * width / total);
  std::string text = fmt::format("[{}{}] {}/{} cases", std::string(filled, '#'),
                                 std::string(width - filled, '.'), done, total);
  if (done > 0 && elapsed_s > 0.0) {
    const double rate_per_s = static_cast<double>(done) / elapsed_s;
    text += rate_per_s >= 1.0 ? fmt::format(", {:.3g}/s", rate_per_s)
                              : fmt::format(", {:.3g} s each", 1.0 / rate_per_s);
    if (done < total) {
      text += ", " + duration_text(static_cast<double>(total - done) / rate_per_s) + " left";
    }
  }
  if (!current.empty()) text += ", " + current;
  if (text.size() > columns) text.resize(columns);
  return text;
}

Progress::Progress(std::size_t total, ProgressMode mode, std::function<double()> clock)
    : total_(total),
      mode_(resolve(mode)),
      clock_(std::move(clock)),
      begin_s_(clock_()),
      last_drawn_s_(begin_s_) {
  const std::lock_guard lock(mutex_);
  if (mode_ == ProgressMode::bar) draw(true);
}

Progress::~Progress() {
  finish();
}

void Progress::advance(std::size_t cases) {
  const std::lock_guard lock(mutex_);
  done_ += cases;
  draw(false);
}

void Progress::set_current(std::string text) {
  const std::lock_guard lock(mutex_);
  current_ = std::move(text);
  if (mode_ == ProgressMode::bar) draw(false);
}

std::size_t Progress::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (mode_ == ProgressMode::bar) show_status_line("");
  mode_ = ProgressMode::silent;
}

void Progress::draw(bool force) {
  if (mode_ == ProgressMode::silent) return;
  const double time_s = clock_();
  const double period_s = mode_ == ProgressMode::bar ? bar_period_s : line_period_s;
  if (!force && time_s - last_drawn_s_ < period_s) return;
  last_drawn_s_ = time_s;
  const double elapsed_s = time_s - begin_s_;
  if (mode_ == ProgressMode::bar) {
    show_status_line(progress_text(done_, total_, elapsed_s, current_, terminal_columns()));
  } else {
    log_line(LogLevel::info, progress_text(done_, total_, elapsed_s, current_, 200));
  }
}

}  // namespace hpclab
