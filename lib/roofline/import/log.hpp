// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Reads a log of one of the known formats, which is recognised by its content.
#pragma once

#include "formats/line_reader.hpp"
#include "roofline/import/point.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::roofline::import {

/// Launches of one kernel are one point (their sums), or each is one.
enum class Launches { together, apart };

struct Log {
  std::string format;
  std::vector<Point> points;  ///< at least one; names are unique
};

struct LogFormat {
  std::string name;
  std::string description;                  ///< one line, for help and errors
  const char* machine_kind;                 ///< cpu or gpu; empty: either
  bool (*has_line)(std::string_view line);  ///< only logs of this format have such a line
  std::vector<Point> (*read)(formats::LineReader& lines, Launches launches);
};

const std::vector<LogFormat>& log_formats();

/// "babelstream: ...", one line a format.
std::string known_formats();

/// `format` is a name of log_formats() or "auto". UsageError with file and line for a file that is
/// of no known format (it lists them) or has no point, and for damage within it.
Log read_log(formats::LineReader& recognition, formats::LineReader& lines,
             const std::string& format, Launches launches);

/// The same from a file. The last logs read are kept, because every point of a log is a case of
/// its own.
std::shared_ptr<const Log> read_log(const std::filesystem::path& path, const std::string& format,
                                    Launches launches);

}  // namespace hpclab::roofline::import
