// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The lines of a text file, plain or packed, with their numbers. One line is in memory at a time.
#pragma once

#include "formats/byte_source.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::formats {

/// A longer line is an error: the file is no text, or lost its line ends.
inline constexpr std::size_t max_line_bytes = std::size_t{16} << 20;

class LineReader {
 public:
  /// UsageError when the file cannot be opened.
  explicit LineReader(const std::filesystem::path& path, std::size_t line_limit = max_line_bytes);
  /// `name` stands for the file in messages.
  LineReader(std::unique_ptr<ByteSource> bytes, std::string name,
             std::size_t line_limit = max_line_bytes);

  /// The next line without its end (LF, CRLF or CR, mixed as they come), valid until the next call;
  /// false at the end of the file. A byte order mark is passed over. Throws UsageError "file:line:
  /// ..." for a NUL byte, a line above the limit, and packed data that is damaged or ends early.
  bool next(std::string_view& line);

  const std::string& name() const { return name_; }
  /// Of the line that next() gave last, from 1; 0 before the first one.
  std::uint64_t line_number() const { return line_number_; }
  /// The line that next() gave last was not ended: the file may have been cut within it.
  bool line_is_open() const { return open_; }
  /// "file:12", the start of every message about the line at hand.
  std::string where() const;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t next_end();
  bool fill();
  std::string_view take(std::size_t end, std::size_t next_begin);

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  std::size_t line_limit_;
  std::uint64_t line_number_ = 0;
  bool open_ = false;

  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of the line to come
  std::size_t end_ = 0;      // of what has been read
  std::size_t scanned_ = 0;  // no line end in [begin_, scanned_)
  // The first LF, CR and NUL at or after scanned_, kept so that each byte is looked at once; `none`
  // when there is none up to end_.
  std::size_t next_lf_ = none;
  std::size_t next_cr_ = none;
  std::size_t next_nul_ = none;
  bool skip_lf_ = false;  // the last line ended in CR: an LF right after it belongs to it
  bool at_end_ = false;
};

}  // namespace hpclab::formats
