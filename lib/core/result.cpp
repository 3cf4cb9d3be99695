// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/result.hpp"

#include "core/error.hpp"

#include <cmath>

#include <fmt/format.h>

namespace hpclab {
namespace {

double finite(double number, const std::string& what) {
  if (!std::isfinite(number)) throw CaseFailed(fmt::format("{} is not finite ({})", what, number));
  return number;
}

}  // namespace

void Result::set_value(const std::string& name, double value) {
  values_[name] = finite(value, name);
}

void Result::set_value(const std::string& name, double value, double low, double high) {
  set_value(name, value);
  set_interval(name, low, high);
}

void Result::set_interval(const std::string& name, double low, double high) {
  intervals_[name] = {finite(low, "lower bound of " + name),
                      finite(high, "upper bound of " + name)};
}

void Result::set_text(const std::string& name, std::string text) {
  text_[name] = std::move(text);
}

void Result::set_table(const std::string& name, const Table& table) {
  if (table.units.size() != table.columns.size()) {
    throw std::logic_error("table " + name + ": one unit a column is needed");
  }
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    if (row.size() != table.columns.size()) {
      throw std::logic_error("table " + name + ": a row has the wrong number of cells");
    }
    for (const Json& cell : row) {
      if (cell.is_number_float()) finite(cell.get<double>(), "a cell of table " + name);
    }
    rows.push_back(row);
  }
  tables_[name] = {{"columns", table.columns}, {"units", table.units}, {"rows", std::move(rows)}};
}

void Result::set_samples(const std::string& name, const std::vector<double>& samples) {
  for (double sample : samples) finite(sample, "a sample of " + name);
  samples_[name] = samples;
}

void Result::set_work(const std::string& name, double amount) {
  work_[name] = finite(amount, "work " + name);
}

void Result::add_note(std::string note) {
  notes_.push_back(std::move(note));
}

void Result::add_file(const std::string& path, const std::string& sha256) {
  files_.push_back({{"path", path}, {"sha256", sha256}});
}

std::optional<double> Result::value(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->get<double>();
}

std::optional<std::pair<double, double>> Result::interval(const std::string& name) const {
  const auto found = intervals_.find(name);
  if (found == intervals_.end()) return std::nullopt;
  return std::pair{(*found)[0].get<double>(), (*found)[1].get<double>()};
}

}  // namespace hpclab
