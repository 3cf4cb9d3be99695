// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Pauses from the logs that people have: one column of seconds, unified garbage collection logs of
// the JVM, step times of a training run, watchdog lines of PyTorch.
#pragma once

#include "formats/line_reader.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hpclab::heartbeat::logs {

/// automatic: by the lines. column: one pause in seconds a line, or start and pause. gc: JVM lines
/// "[12.3s][info][gc] GC(7) Pause Young ... 3.2ms". steps: one step time in seconds a line, or
/// lines with "elapsed time per iteration (ms): x"; what a step takes beyond the median is a pause
/// when it is more than half of it. watchdog: "ran for N milliseconds before timing out".
enum class PauseFormat { automatic, column, gc, steps, watchdog };

struct PauseLog {
  std::vector<double> pauses_s;
  double observed_s = 0;  ///< time that the log covers; 0: it does not say
  PauseFormat format = PauseFormat::column;
  std::uint64_t passed_over = 0;  ///< lines that hold no pause
  double median_step_s = 0;       ///< of a step log
};

const char* name_of(PauseFormat format);

/// UsageError "file:line: ..." for text where a number belongs, a negative pause, times that go
/// back, and a file without a pause.
PauseLog read_pauses(formats::LineReader& lines, PauseFormat format = PauseFormat::automatic);

}  // namespace hpclab::heartbeat::logs
