// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/table_reader.hpp"

#include "core/error.hpp"
#include "formats/fields.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace hpclab::formats {
namespace {

char delimiter_of(std::string_view header) {
  char best = ' ';
  std::ptrdiff_t most = 0;
  for (const char candidate : {',', ';', '\t', '|'}) {
    const auto count = std::count(header.begin(), header.end(), candidate);
    if (count > most) {
      most = count;
      best = candidate;
    }
  }
  return best;
}

// Follows a row over its lines: is a quoted field open at the end of what was seen?
class QuoteState {
 public:
  explicit QuoteState(char delimiter) : delimiter_(delimiter) {}
  void follow(std::string_view text) {
    for (const char c : text) at_ = after(c);
  }
  bool open() const { return at_ == At::quoted; }

 private:
  enum class At { start, unquoted, quoted, closing_quote, behind };

  At after(char c) const {
    if (at_ == At::quoted) return c == '"' ? At::closing_quote : At::quoted;
    if (c == delimiter_) return At::start;
    switch (at_) {
      case At::start:
        return c == '"' ? At::quoted : c == ' ' ? At::start : At::unquoted;
      case At::closing_quote:  // a doubled quote is one quote of the text
        return c == '"' ? At::quoted : At::behind;
      default:
        return at_;
    }
  }

  char delimiter_;
  At at_ = At::start;
};

}  // namespace

TableReader::TableReader(LineReader& lines, TableOptions options)
    : lines_(lines), options_(std::move(options)) {
  std::string_view line;
  for (;;) {
    if (!next_line(line)) {
      throw UsageError(fmt::format("{}: {}", lines_.where(),
                                   lines_.line_number() == 0
                                       ? "the file is empty; a table with a header was expected"
                                       : "there is no header of the table up to the end"));
    }
    if (!options_.is_header || options_.is_header(line)) break;
  }
  take_header(line);
}

TableReader::TableReader(LineReader& lines, std::string_view header, TableOptions options)
    : lines_(lines), options_(std::move(options)), row_line_(lines.line_number()) {
  take_header(header);
}

void TableReader::take_header(std::string_view line) {
  if (options_.delimiter == 0) options_.delimiter = delimiter_of(line);
  split(line);
  std::vector<std::string> names(fields_.begin(), fields_.end());
  columns_ = ColumnNames(std::move(names), where());
}

bool TableReader::next_line(std::string_view& line) {
  while (lines_.next(line)) {
    if (trimmed(line).empty()) continue;
    if (options_.comment != 0 && line.front() == options_.comment) continue;
    row_line_ = lines_.line_number();
    return true;
  }
  return false;
}

bool TableReader::next_of_any_width() {
  std::string_view line;
  if (!next_line(line)) return false;
  split(line);
  return true;
}

bool TableReader::next() {
  if (!next_of_any_width()) return false;
  const std::size_t expected = columns_.size();
  if (fields_.size() != expected) {
    throw UsageError(fmt::format("{}: {} field{}, but the header has {}{}", where(), fields_.size(),
                                 fields_.size() == 1 ? "" : "s", expected,
                                 lines_.line_is_open() ? "; the file ends within this line" : ""));
  }
  return true;
}

void TableReader::split(std::string_view line) {
  fields_.clear();
  if (options_.delimiter == ' ') return split_words(line, fields_);
  if (std::memchr(line.data(), '"', line.size()) != nullptr) return split_quoted(whole_row(line));
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(line.find(options_.delimiter, begin), line.size());
    fields_.push_back(trimmed(line.substr(begin, end - begin)));
    if (end == line.size()) return;
    begin = end + 1;
  }
}

// The line, joined with those that follow while a quoted field is open.
std::string_view TableReader::whole_row(std::string_view line) {
  QuoteState state(options_.delimiter);
  state.follow(line);
  if (!state.open()) return line;
  row_ = line;
  while (state.open()) {
    std::string_view more;
    if (!lines_.next(more)) {
      throw UsageError(
          fmt::format("{}: a quote opened here is not closed by the end of the file", where()));
    }
    if (row_.size() + more.size() + 1 > max_line_bytes) {
      throw UsageError(fmt::format("{}: a quoted field that begins here is longer than {} MiB",
                                   where(), max_line_bytes >> 20));
    }
    state.follow("\n");
    state.follow(more);
    row_ += '\n';
    row_ += more;
  }
  return row_;
}

void TableReader::split_quoted(std::string_view row) {
  unquoted_.clear();
  unquoted_.reserve(row.size());  // views into it must stay valid
  for (std::size_t at = 0;;) {
    std::size_t begin = at;
    while (begin < row.size() && row[begin] == ' ') ++begin;
    if (begin < row.size() && row[begin] == '"') {
      const std::size_t first = unquoted_.size();
      at = begin + 1;
      for (; at < row.size(); ++at) {
        if (row[at] == '"' && !(at + 1 < row.size() && row[at + 1] == '"')) break;
        if (row[at] == '"') ++at;
        unquoted_ += row[at];
      }
      fields_.push_back(std::string_view(unquoted_).substr(first));
      ++at;  // the closing quote: whole_row() made sure that it is there
      const std::size_t end = std::min(row.find(options_.delimiter, at), row.size());
      if (!trimmed(row.substr(at, end - at)).empty()) {
        throw UsageError(fmt::format("{}: '{}' follows the closing quote of field {}", where(),
                                     printable(row.substr(at, end - at), 20), fields_.size()));
      }
      at = end;
    } else {
      const std::size_t end = std::min(row.find(options_.delimiter, at), row.size());
      fields_.push_back(trimmed(row.substr(at, end - at)));
      at = end;
    }
    if (at >= row.size()) return;
    ++at;
  }
}

double TableReader::number(std::size_t column) const {
  return require_number(fields_[column], columns_.names()[column], where());
}

std::int64_t TableReader::integer(std::size_t column) const {
  return require_integer(fields_[column], columns_.names()[column], where());
}

std::string TableReader::where() const {
  return fmt::format("{}:{}", lines_.name(), row_line_);
}

}  // namespace hpclab::formats
