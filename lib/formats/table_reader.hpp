// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Tables in text: CSV (RFC 4180, any delimiter) and columns set apart by blanks, with a header line
// that names the columns. Rows are read one at a time.
#pragma once

#include "formats/column_names.hpp"
#include "formats/line_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::formats {

struct TableOptions {
  /// What stands between the fields; ' ' means any run of blanks and tabs, without quotes; 0 takes
  /// the one of , ; tab | that occurs most often in the header, blanks when none does.
  char delimiter = 0;
  /// Lines that begin with it are passed over; 0: none are.
  char comment = '#';
  /// Lines before the first one for which this holds are passed over; empty: the first line that is
  /// neither blank nor a comment is the header.
  std::function<bool(std::string_view)> is_header{};
};

class TableReader {
 public:
  /// Reads up to the header. UsageError when there is none.
  explicit TableReader(LineReader& lines, TableOptions options = {});
  /// `header` was read already: it is the last line that `lines` gave.
  TableReader(LineReader& lines, std::string_view header, TableOptions options = {});

  const ColumnNames& columns() const { return columns_; }
  char delimiter() const { return options_.delimiter; }

  /// The next row; blank lines and comments are passed over. UsageError "file:line: ..." when the
  /// number of fields differs from the header's, and for quotes that are not closed or are followed
  /// by text.
  bool next();
  /// The same without the check of the number of fields, for programs whose files hold several
  /// tables: the caller looks at fields().
  bool next_of_any_width();

  /// Fields of the row, quotes resolved, blanks at both ends removed unless quoted; valid until the
  /// next row.
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::string_view text(std::size_t column) const { return fields_[column]; }
  /// UsageError with place and column when the field is no such number.
  double number(std::size_t column) const;
  std::int64_t integer(std::size_t column) const;

  /// Where the row begins: "file:12".
  std::string where() const;

 private:
  bool next_line(std::string_view& line);
  void take_header(std::string_view line);
  void split(std::string_view line);
  void split_quoted(std::string_view row);
  std::string_view whole_row(std::string_view line);

  LineReader& lines_;
  TableOptions options_;
  ColumnNames columns_;
  std::vector<std::string_view> fields_;
  std::string row_;       // a row of several lines
  std::string unquoted_;  // fields that lost quotes
  std::uint64_t row_line_ = 0;
};

}  // namespace hpclab::formats
