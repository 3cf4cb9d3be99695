// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How far a sweep is. It has no thread of its own, which would disturb measurements: it draws when
// a case ends.
#pragma once

#include "core/clock.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

namespace hpclab {

enum class ProgressMode {
  automatic,  ///< bar on a terminal, otherwise lines; silent below log level info
  bar,        ///< one line that is redrawn at most ten times a second
  lines,      ///< a log line every ten seconds
  silent
};

class Progress {
 public:
  /// `total` cases are to come; `clock` gives seconds (tests bring their own).
  explicit Progress(std::size_t total, ProgressMode mode = ProgressMode::automatic,
                    std::function<double()> clock = now_s);
  /// Removes the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `cases` more are done. Any thread may call it.
  void advance(std::size_t cases = 1);
  /// What is being worked on now, shown at the end of the bar.
  void set_current(std::string text);
  /// Removes the bar; later calls draw nothing.
  void finish();
  std::size_t done() const;

 private:
  void draw(bool force);

  mutable std::mutex mutex_;
  std::size_t total_;
  std::size_t done_ = 0;
  ProgressMode mode_;
  std::function<double()> clock_;
  double begin_s_;
  double last_drawn_s_;
  std::string current_;
};

/// The text of the bar, at most `columns` characters: "[####....] 12/40 cases, 3.1/s, 9 s left,
/// <current>". The time left assumes that the cases to come take as long as those done; absent
/// before the first.
std::string progress_text(std::size_t done, std::size_t total, double elapsed_s,
                          const std::string& current, std::size_t columns);

}  // namespace hpclab
