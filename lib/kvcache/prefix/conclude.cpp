// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/conclude.hpp"

#include "kvcache/prefix/parameters.hpp"
#include "kvcache/prefix/replay.hpp"
#include "kvcache/requests/write_requests.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache::prefix {
namespace {

struct Column {
  std::string policy;
  std::vector<std::pair<std::uint64_t, double>> curve;  // capacity, block hit ratio
};

// The ratio at a capacity: of the row, or of the last one below it (curves do not fall).
std::optional<double> ratio_at(const Column& column, std::uint64_t capacity) {
  std::optional<double> found;
  for (const auto& [at, ratio] : column.curve) {
    if (at <= capacity) found = ratio;
  }
  return found;
}

// Curves that differ in their policy alone belong in one table.
std::string key_without_policy(const Json& record) {
  Json parameters = record["parameters"];
  for (const char* name : {"policy", "ttl_s", "capacity_blocks"}) parameters.erase(name);
  return parameters.dump();
}

std::string name_of_requests(const Json& parameters) {
  const auto file = parameters.find("requests");
  return file != parameters.end() && file->is_object() ? (*file)["name"].get<std::string>()
                                                       : "generated sessions";
}

std::vector<std::string> table_of(const std::vector<Column>& columns, const std::string& requests) {
  std::uint64_t end = 0;
  for (const Column& column : columns) end = std::max(end, column.curve.back().first);
  std::vector<std::uint64_t> capacities = capacity_ladder(10, end);
  capacities.push_back(end);
  std::vector<std::string> lines{fmt::format("{}: block hit ratio by capacity", requests)};
  std::string head = fmt::format("  {:>12}", "blocks");
  for (const Column& column : columns) head += fmt::format("  {:>7}", column.policy);
  lines.push_back(head);
  for (const std::uint64_t capacity : capacities) {
    std::string line = fmt::format("  {:>12}", capacity);
    for (const Column& column : columns) {
      const auto ratio = ratio_at(column, capacity);
      line += fmt::format("  {:>7}", ratio ? fmt::format("{:.4f}", *ratio) : "");
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::vector<std::string> conclude(const RunSummary& summary) {
  std::vector<std::string> lines;
  std::map<std::string, std::vector<Column>> tables;
  std::map<std::string, std::string> names;
  const Json* generated = nullptr;
  for (const Json& record : summary.records) {
    if (record["method"] != "simulate" || record["status"] != "ok") continue;
    if (record["parameters"].value("source", "") == "synthetic") generated = &record;
    const Json tables_of_record = record.value("tables", Json::object());
    const auto curve = tables_of_record.find("curve");
    if (curve == tables_of_record.end()) continue;
    Column column{record["parameters"]["policy"].get<std::string>(), {}};
    for (const Json& row : (*curve)["rows"]) {
      column.curve.emplace_back(row[0].get<std::uint64_t>(), row[1].get<double>());
    }
    if (column.curve.empty()) continue;
    const std::string key = key_without_policy(record);
    names[key] = name_of_requests(record["parameters"]);
    std::vector<Column>& columns = tables[key];
    const bool known = std::any_of(columns.begin(), columns.end(), [&](const Column& other) {
      return other.policy == column.policy;
    });
    if (!known) columns.push_back(std::move(column));
  }
  for (const auto& [key, columns] : tables) {
    for (std::string& line : table_of(columns, names[key])) lines.push_back(std::move(line));
  }
  for (const auto& [name, path] : summary.outputs) {
    if (name != "save-requests") continue;
    if (generated == nullptr) {
      lines.push_back("--save-requests: nothing was generated (source=synthetic does)");
      continue;
    }
    const Parameters p = parameter_table().bind((*generated)["parameters"]);
    requests::ChosenRequests chosen(p, (*generated)["seed"].get<std::uint64_t>());
    const std::uint64_t count = requests::write_mooncake(chosen.source(), path);
    lines.push_back(fmt::format("wrote {} requests to {}; read them with id_tokens={}", count, path,
                                requests::synthetic_id_tokens));
  }
  return lines;
}

}  // namespace hpclab::kvcache::prefix
