// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/claim_address.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/study.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {
namespace {

const std::vector<std::string> sections{"values", "text", "work", "tables"};

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// What stands under a name of an object in the record.
const Json& named(const Json& record, const std::string& section, const std::string& name) {
  const auto found = record.find(section);
  if (found == record.end() || !found->is_object() || found->empty())
    throw CaseFailed(fmt::format("the record has no {}", section));
  const auto entry = found->find(name);
  if (entry == found->end()) {
    throw CaseFailed(
        fmt::format("the record has no {}.{}{}", section, name, suggestion(name, keys_of(*found))));
  }
  return *entry;
}

std::size_t column_of(const Json& table, const std::string& table_name, const std::string& column) {
  const auto names = table["columns"].get<std::vector<std::string>>();
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) {
    throw CaseFailed(fmt::format("table {} has no column '{}'{}", table_name, column,
                                 suggestion(column, names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

const Json& cell(const Json& table, const ClaimAddress& address) {
  const std::size_t column = column_of(table, address.name, address.column);
  std::vector<std::pair<std::size_t, const Json*>> wanted;
  for (const auto& [name, value] : address.row)
    wanted.emplace_back(column_of(table, address.name, name), &value);
  const Json* found = nullptr;
  for (const Json& row : table["rows"]) {
    const bool fits = std::all_of(wanted.begin(), wanted.end(),
                                  [&](const auto& w) { return row[w.first] == *w.second; });
    if (!fits) continue;
    if (found) throw CaseFailed(fmt::format("several rows fit {}", address.text()));
    found = &row[column];
  }
  if (!found) throw CaseFailed(fmt::format("no row fits {}", address.text()));
  return *found;
}

}  // namespace

std::string ClaimAddress::text() const {
  std::string result = section + "." + name;
  if (!column.empty()) result += "." + column;
  std::string cells;
  for (const auto& [key, value] : row) {
    cells += fmt::format("{}{}={}", cells.empty() ? "" : ", ", key,
                         value.is_string() ? value.get<std::string>() : value.dump());
  }
  return cells.empty() ? result : result + " (" + cells + ")";
}

ClaimAddress parse_claim_address(const std::string& text, const Study& study,
                                 const std::string& where) {
  const std::size_t dot = text.find('.');
  ClaimAddress address{.section = text.substr(0, dot), .name = "", .column = ""};
  if (std::find(sections.begin(), sections.end(), address.section) == sections.end()) {
    throw UsageError(fmt::format("{}: '{}' begins with no section of a record{}", where, text,
                                 suggestion(address.section, sections)));
  }
  if (dot != std::string::npos) address.name = text.substr(dot + 1);
  if (address.section == "tables") {
    const std::size_t second = address.name.find('.');
    if (second != std::string::npos) address.column = address.name.substr(second + 1);
    address.name = address.name.substr(0, second);
  }
  if (address.name.empty())
    throw UsageError(fmt::format("{}: '{}' names nothing in {}", where, text, address.section));
  if (address.section == "values" && !study.find_value(address.name)) {
    std::vector<std::string> names;
    for (const ValueSpec& value : study.values) names.push_back(value.name);
    throw UsageError(fmt::format("{}: {} {} has no value '{}'{}", where, study.lab, study.name,
                                 address.name, suggestion(address.name, names)));
  }
  return address;
}

Json figure_at(const Json& record, const ClaimAddress& address) {
  const Json& found = named(record, address.section, address.name);
  return address.section == "tables" ? cell(found, address) : found;
}

double standard_error_at(const Json& record, const ClaimAddress& address) {
  const auto intervals = record.find("interval95");
  if (address.section != "values" || intervals == record.end() ||
      !intervals->contains(address.name)) {
    throw CaseFailed(fmt::format("{} has no interval, so no standard error", address.text()));
  }
  const Json& interval = (*intervals)[address.name];
  return (interval[1].get<double>() - interval[0].get<double>()) / (2 * 1.96);
}

}  // namespace hpclab
