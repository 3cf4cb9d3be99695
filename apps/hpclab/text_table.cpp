// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/text_table.hpp"

#include <algorithm>
#include <sstream>

namespace hpclab::app {

void TextTable::add_column(std::string heading, bool right) {
  headings_.push_back(std::move(heading));
  right_.push_back(right);
}

void TextTable::add_row(std::vector<std::string> cells) {
  cells.resize(headings_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(bool color) const {
  std::vector<std::size_t> width(headings_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < headings_.size(); ++c) {
    if (width[c] == 0 && !rows_.empty()) continue;
    width[c] = std::max(width[c], headings_[c].size());
    shown.push_back(c);
  }
  std::string result;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c : shown) {
      const std::string pad(width[c] - cells[c].size(), ' ');
      line += "  " + (right_[c] ? pad + cells[c] : cells[c] + pad);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
  };
  const std::string heading = add_line(headings_);
  result += color ? "\033[1m" + heading + "\033[0m\n" : heading + "\n";
  for (const auto& row : rows_) result += add_line(row) + "\n";
  return result;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  std::string result;
  std::string word;
  std::size_t column = 0;
  while (words >> word) {
    if (column > 0 && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = 0;
    } else if (column > 0) {
      result += " ";
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

}  // namespace hpclab::app
