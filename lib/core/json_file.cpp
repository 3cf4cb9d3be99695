// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/json_file.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

namespace hpclab {

std::string read_text_file(const std::filesystem::path& path, std::size_t limit_bytes) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw UsageError(fmt::format("cannot read '{}': it is a folder", path.string()));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw UsageError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
  std::string text;
  char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(in.gcount()));
    if (text.size() > limit_bytes) {
      throw UsageError(
          fmt::format("cannot read '{}': larger than {} MiB", path.string(), limit_bytes >> 20));
    }
  }
  if (in.bad())
    throw UsageError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
  return text;
}

std::size_t nesting_of(std::string_view json) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

Json parse_json(std::string_view text, const std::string& where) {
  if (const std::size_t depth = nesting_of(text); depth > max_json_nesting) {
    throw UsageError(fmt::format("{}: {} lists and objects within each other, more than {}", where,
                                 depth, max_json_nesting));
  }
  std::vector<std::set<std::string>> keys;
  std::string repeated;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second && repeated.empty()) {
      repeated = parsed.get<std::string>();
    }
    return true;
  };
  try {
    Json document = Json::parse(text, watch);
    if (!repeated.empty())
      throw UsageError(fmt::format("{}: the key '{}' is given twice", where, repeated));
    return document;
  } catch (const Json::out_of_range& error) {  // a number beyond double; the text is well-formed
    const std::string_view reason = error.what();
    throw UsageError(fmt::format("{}: {}", where, reason.substr(reason.find("] ") + 2)));
  } catch (const Json::parse_error& error) {
    const std::size_t end =
        std::min<std::size_t>(text.size(), error.byte == 0 ? 0 : error.byte - 1);
    const auto begin = text.begin();
    const auto line = 1 + std::count(begin, begin + static_cast<std::ptrdiff_t>(end), '\n');
    const std::size_t line_start = text.rfind('\n', end == 0 ? 0 : end - 1);
    const std::size_t column =
        end - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
    std::string reason = error.what();
    // The library's prefix repeats the position in its own words.
    if (const auto colon = reason.find(": "); colon != std::string::npos)
      reason = reason.substr(colon + 2);
    throw UsageError(fmt::format("{}: line {}, column {}: {}", where, line, column, reason));
  }
}

Json read_json_file(const std::filesystem::path& path) {
  return parse_json(read_text_file(path), path.string());
}

void require_known_keys(const Json& object, const std::vector<std::string>& allowed,
                        const std::string& where, const std::string& pointer) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      throw UsageError(fmt::format("{}: {}/{}: unknown key '{}'{}", where, pointer, key, key,
                                   suggestion(key, allowed)));
    }
  }
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code error;
  // A device or a pipe is written to, never replaced; of a link, the file that it leads to is.
  const bool special = fs::exists(path, error) && !fs::is_regular_file(path, error) &&
                       !fs::is_directory(path, error);
  const fs::path target =
      !special && fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
  const fs::path temporary =
      special ? path : fs::path(target.string() + fmt::format(".{}.tmp", ::getpid()));
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  error.clear();
  if (out && !special) fs::rename(temporary, target, error);
  if (!out || error) {
    const std::string reason = error ? error.message() : std::strerror(errno);
    if (!special) fs::remove(temporary, error);
    throw UsageError(fmt::format("cannot write '{}': {}", path.string(), reason));
  }
}

}  // namespace hpclab
