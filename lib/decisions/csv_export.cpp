// hpclab: SPDX-License-Identifier: Apache-2.0
#include "decisions/csv_export.hpp"

#include "core/error.hpp"
#include "core/record.hpp"
#include "core/record_file.hpp"
#include "formats/json_lines.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

namespace hpclab::decisions {
namespace {

using formats::JsonValue;

constexpr std::array<const char*, 10> fixed{"file",   "run",     "id",   "lab",    "study",
                                            "method", "backend", "seed", "status", "reason"};

// Calls `take` with each case record of a file; a torn last line is left out.
void for_each_case(const std::filesystem::path& path,
                   const std::function<void(const JsonValue&)>& take) {
  formats::LineReader lines(path, max_record_bytes);
  formats::JsonLineReader reader(lines);
  bool any_run = false;
  while (true) {
    std::optional<JsonValue> record;
    try {
      record = reader.next();
    } catch (const UsageError&) {
      if (!lines.line_is_open()) throw;
      break;
    }
    if (!record || lines.line_is_open()) break;
    const std::string_view kind = record->text("record");
    if (kind == "run") {
      check_schema_version(record->text("schema"), lines.where());
      any_run = true;
    }
    if (kind == "case") take(*record);
  }
  if (!any_run) throw UsageError(fmt::format("{}: it holds no run record", path.string()));
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

// Text without its quotes, files and profiles by name, everything else as JSON.
std::string cell_of(const JsonValue& value) {
  const std::string json = value.json();
  if (json.starts_with('"')) return std::string(value.text());
  if (json.starts_with('{')) {
    if (const auto name = value.find("name"); name && name->json().starts_with('"'))
      return std::string(name->text());
  }
  return json == "null" ? "" : json;
}

// Columns by group and name, in order of appearance within the group.
class Columns {
 public:
  enum Group { parameter, value, text, group_count };

  void note(Group group, std::string_view name) {
    auto& known = index_[group];
    if (known.contains(std::string(name))) return;
    known.emplace(std::string(name), names_[group].size());
    names_[group].emplace_back(name);
  }

  std::vector<std::string> heading() const {
    std::vector<std::string> all(fixed.begin(), fixed.end());
    for (const std::string& name : names_[parameter]) {
      const bool taken =
          std::find(all.begin(), all.end(), name) != all.end() || index_[value].contains(name);
      all.push_back(taken ? "parameter_" + name : name);
    }
    for (const std::string& name : names_[value]) all.push_back(name);
    for (const std::string& name : names_[text]) all.push_back("text_" + name);
    return all;
  }

  std::size_t place(Group group, std::string_view name) const {
    std::size_t offset = fixed.size();
    for (int before = 0; before < group; ++before) offset += names_[before].size();
    return offset + index_[group].at(std::string(name));
  }

 private:
  std::array<std::unordered_map<std::string, std::size_t>, group_count> index_;
  std::array<std::vector<std::string>, group_count> names_;
};

using Take = std::function<void(Columns::Group, std::string_view name, std::string cell)>;

// Every cell of a record beyond the fixed ones.
void for_each_cell(const JsonValue& record, const Take& take) {
  record.require("parameters").for_each_member([&](std::string_view name, const JsonValue& one) {
    take(Columns::parameter, name, cell_of(one));
  });
  const auto intervals = record.find("interval95");
  record.require("values").for_each_member([&](std::string_view name, const JsonValue& one) {
    take(Columns::value, name, one.json());
    if (!intervals) return;
    const auto interval = intervals->find(name);
    if (!interval) return;
    std::vector<double> ends;
    interval->numbers(ends);
    if (ends.size() != 2) return;
    take(Columns::value, fmt::format("{}_low95", name), fmt::format("{}", ends[0]));
    take(Columns::value, fmt::format("{}_high95", name), fmt::format("{}", ends[1]));
  });
  if (const auto text = record.find("text")) {
    text->for_each_member([&](std::string_view name, const JsonValue& one) {
      take(Columns::text, name, cell_of(one));
    });
  }
}

}  // namespace

std::uint64_t export_csv(const std::vector<std::filesystem::path>& files,
                         const std::function<void(std::string_view)>& write) {
  Columns columns;
  for (const auto& file : files) {
    for_each_case(file, [&](const JsonValue& record) {
      for_each_cell(record, [&](Columns::Group group, std::string_view name, const std::string&) {
        columns.note(group, name);
      });
    });
  }
  const std::vector<std::string> heading = columns.heading();
  const auto write_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line += (i ? "," : "") + csv_cell(cells[i]);
    write(line + "\n");
  };
  write_row(heading);
  std::uint64_t rows = 0;
  for (const auto& file : files) {
    for_each_case(file, [&](const JsonValue& record) {
      std::vector<std::string> cells(heading.size());
      cells[0] = file.string();
      for (std::size_t i = 1; i < fixed.size(); ++i) {
        if (const auto member = record.find(fixed[i])) cells[i] = cell_of(*member);
      }
      for_each_cell(record, [&](Columns::Group group, std::string_view name, std::string cell) {
        cells[columns.place(group, name)] = std::move(cell);
      });
      write_row(cells);
      ++rows;
    });
  }
  return rows;
}

}  // namespace hpclab::decisions
