// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Columns of text, aligned.
#pragma once

#include <string>
#include <vector>

namespace hpclab::app {

class TextTable {
 public:
  /// `right` columns are numbers.
  void add_column(std::string heading, bool right = false);
  void add_row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  std::size_t columns() const { return headings_.size(); }
  /// The table with two blanks before and between columns, without trailing blanks. Columns whose
  /// cells are all empty are left out. `color` prints the heading in bold.
  std::string text(bool color) const;

 private:
  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

/// `text` broken at blanks into lines of at most `width` characters, each after the first indented.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace hpclab::app
