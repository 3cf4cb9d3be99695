// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/record_scan.hpp"

#include "core/error.hpp"
#include "core/json_file.hpp"
#include "core/record.hpp"
#include "core/record_file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {
namespace {

// Enough lines that starting threads costs nothing, few enough to stay in a few megabytes.
constexpr std::size_t batch_lines = 2048;
constexpr std::size_t batch_bytes = std::size_t{4} << 20;
constexpr std::size_t lines_at_once = 32;
constexpr unsigned most_threads = 8;

struct Line {
  std::string text;
  RecordPlace place{};
  Json record;
  std::string fault;  // a UsageError's message
};

void parse(Line& line) {
  line.fault.clear();
  const auto fail = [&line](const std::string& why) {
    line.fault = fmt::format("{}: {}", line.place.where(), why);
  };
  if (line.place.bytes > max_record_bytes) {
    fail(fmt::format("the record has {} bytes, more than {}", line.place.bytes, max_record_bytes));
    return;
  }
  line.record = nesting_of(line.text) > max_json_nesting ? Json(Json::value_t::discarded)
                                                         : Json::parse(line.text, nullptr, false);
  const Json& record = line.record;
  if (record.is_discarded()) {
    fail("not a JSON object; only a last line without an end may be damaged");
    return;
  }
  try {
    // The version goes first: a newer schema may have other fields, too.
    if (record.is_object() && record.value("schema", Json()).is_string())
      check_schema_version(record["schema"].get_ref<const std::string&>(), line.place.where());
    const std::string fault = fault_of_record(record);
    if (!fault.empty()) fail(fault);
  } catch (const nlohmann::json::exception& bad) {
    fail(bad.what());
  } catch (const UsageError& error) {
    line.fault = error.what();
  }
}

void parse_all(std::vector<Line>& lines, std::size_t count) {
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t begin; (begin = next.fetch_add(lines_at_once)) < count;) {
      const std::size_t end = std::min(begin + lines_at_once, count);
      for (std::size_t i = begin; i < end; ++i) parse(lines[i]);
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned t = 1; t < threads && count > lines_at_once; ++t) helpers.emplace_back(work);
  work();
}

}  // namespace

std::string RecordPlace::where() const {
  return fmt::format("{}:{}", *file, line);
}

ScannedFile scan_records(const std::filesystem::path& path,
                         const std::function<void(Json&, const RecordPlace&)>& take) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw UsageError(fmt::format("cannot read '{}': it is a folder", path.string()));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw UsageError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
  const std::string name = path.string();
  ScannedFile file;
  std::vector<Line> lines(batch_lines);
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  while (!file.torn) {
    std::size_t count = 0;
    std::size_t bytes = 0;
    while (count < batch_lines && bytes < batch_bytes && std::getline(in, lines[count].text)) {
      if (in.eof()) {  // no newline at the end: the writer always ends a line, so this one is torn
        file.torn = true;
        break;
      }
      Line& line = lines[count++];
      line.place = {&name, ++number, offset, line.text.size() + 1};
      bytes += line.place.bytes;
      offset += line.place.bytes;
    }
    if (count == 0) break;
    parse_all(lines, count);
    for (std::size_t i = 0; i < count; ++i) {
      Line& line = lines[i];
      if (!line.fault.empty()) throw UsageError(line.fault);
      file.whole_bytes = line.place.offset + line.place.bytes;
      file.ended = line.record["record"] == "end";
      take(line.record, line.place);
    }
  }
  return file;
}

}  // namespace hpclab
