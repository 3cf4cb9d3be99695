// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/claim_data.hpp"

#include "core/error.hpp"
#include "core/json_file.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace hpclab {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::optional<std::filesystem::path> find_data(const std::string& name,
                                               const std::vector<std::filesystem::path>& folders) {
  for (const auto& folder : folders) {
    std::error_code error;
    if (std::filesystem::is_regular_file(folder / name, error)) return folder / name;
  }
  return std::nullopt;
}

double number_in_file(const std::filesystem::path& path, const ClaimFileCell& cell) {
  const std::vector<std::string> start = words_of(cell.line);
  std::istringstream text(read_text_file(path));
  std::vector<std::string> found;
  for (std::string line; std::getline(text, line);) {
    std::vector<std::string> words = words_of(line);
    if (words.size() < start.size() || !std::equal(start.begin(), start.end(), words.begin()))
      continue;
    if (!found.empty())
      throw CaseFailed(fmt::format("{}: several lines start with '{}'", cell.path, cell.line));
    found = std::move(words);
  }
  if (found.empty())
    throw CaseFailed(fmt::format("{}: no line starts with '{}'", cell.path, cell.line));
  const auto column = static_cast<std::size_t>(cell.column);
  const auto number = column <= found.size() ? parse_number(found[column - 1]) : std::nullopt;
  if (!number) {
    throw CaseFailed(fmt::format("{}: field {} of the line '{} ...' is no number", cell.path,
                                 cell.column, cell.line));
  }
  return *number * cell.factor;
}

}  // namespace hpclab
