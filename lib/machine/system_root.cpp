// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/system_root.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace hpclab::machine {

std::filesystem::path SystemRoot::resolve(std::string_view path) const {
  while (!path.empty() && path.front() == '/') path.remove_prefix(1);
  return root_ / std::filesystem::path(path);
}

std::optional<std::string> SystemRoot::text(std::string_view path) const {
  std::ifstream file(resolve(path));
  if (!file) return std::nullopt;
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // A directory or a file the kernel refuses opens well and fails at the first read.
  if (file.bad() || (content.empty() && !std::filesystem::is_regular_file(resolve(path)))) {
    return std::nullopt;
  }
  while (!content.empty() && std::isspace(static_cast<unsigned char>(content.back()))) {
    content.pop_back();
  }
  return content;
}

std::optional<std::int64_t> SystemRoot::integer(std::string_view path) const {
  const auto content = text(path);
  if (!content) return std::nullopt;
  std::int64_t value = 0;
  const char* end = content->data() + content->size();
  const auto [stop, error] = std::from_chars(content->data(), end, value);
  if (error != std::errc{} || (stop != end && *stop != ' ' && *stop != '\n')) return std::nullopt;
  return value;
}

bool SystemRoot::exists(std::string_view path) const {
  std::error_code ignored;
  return std::filesystem::exists(resolve(path), ignored);
}

std::vector<std::string> SystemRoot::entries(std::string_view path) const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(resolve(path), error), end; !error && it != end;
       it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::map<std::string, std::string> SystemRoot::table(std::string_view path) const {
  std::map<std::string, std::string> rows;
  std::istringstream lines(text(path).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto separator = line.find_first_of(": \t");
    if (separator == std::string::npos) continue;
    const auto value = line.find_first_not_of(": \t", separator);
    rows.emplace(line.substr(0, separator), value == std::string::npos ? "" : line.substr(value));
  }
  return rows;
}

}  // namespace hpclab::machine
