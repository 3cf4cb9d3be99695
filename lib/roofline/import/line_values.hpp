// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Values in a line of a log: "GB/s=1229.21", "Time: 1.5 sec".
#pragma once

#include "formats/line_reader.hpp"
#include "formats/printed_number.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace hpclab::roofline::import {

/// The word after `key`, which stands at the start of the line or after a blank or bracket; nullopt
/// when it is not there. The word is empty when the line ends after the key.
std::optional<std::string_view> word_after(std::string_view line, std::string_view key);

/// One line of a log whose values are wanted by key; errors name the line.
class LineValues {
 public:
  LineValues(const formats::LineReader& lines, std::string_view line)
      : lines_(lines), line_(line) {}

  bool has(std::string_view key) const { return word_after(line_, key).has_value(); }
  std::optional<std::string_view> find(std::string_view key) const {
    return word_after(line_, key);
  }
  /// UsageError when the key is missing ("the line ends before ...", for one that was cut) or its
  /// value is no number.
  formats::PrintedNumber number(std::string_view key) const;
  /// The same above 0.
  formats::PrintedNumber positive(std::string_view key) const;
  /// An integer in [low, high].
  int integer(std::string_view key, int low, int high) const;

 private:
  std::string_view require(std::string_view key) const;

  const formats::LineReader& lines_;
  std::string_view line_;
};

/// UsageError unless value > 0.
formats::PrintedNumber require_positive(const formats::PrintedNumber& number, std::string_view what,
                                        const std::string& where);

}  // namespace hpclab::roofline::import
