// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a study returns for one case. Model, simulation and measurement return the same type.
#pragma once

#include "core/json.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab {

/// A table of a record: curves, matrices, plans. Units are words ("B/s", "", "lines"), one a
/// column.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::string> units;
  std::vector<std::vector<Json>> rows;
};

/// Values are finite numbers in SI units with the unit in the name; words go to text, curves to
/// tables. Setters throw CaseFailed for numbers that are not finite, so that no such number reaches
/// a record.
class Result {
 public:
  void set_value(const std::string& name, double value);
  /// With a 95 % interval [low, high] that may be open-ended only in the statistics' sense: both
  /// finite.
  void set_value(const std::string& name, double value, double low, double high);
  void set_interval(const std::string& name, double low, double high);
  void set_text(const std::string& name, std::string text);
  void set_table(const std::string& name, const Table& table);
  void set_samples(const std::string& name, const std::vector<double>& samples);
  /// Declared work of the case: flops, bytes by level. Written beside the kernel, read by the
  /// report.
  void set_work(const std::string& name, double amount);
  void add_note(std::string note);
  /// A file written beside --out, by name, with the digest of its content.
  void add_file(const std::string& path, const std::string& sha256);

  std::optional<double> value(const std::string& name) const;
  std::optional<std::pair<double, double>> interval(const std::string& name) const;

  const Json& values() const { return values_; }
  const Json& intervals() const { return intervals_; }
  const Json& text() const { return text_; }
  const Json& tables() const { return tables_; }
  const Json& samples() const { return samples_; }
  const Json& work() const { return work_; }
  const Json& files() const { return files_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  Json values_ = Json::object();
  Json intervals_ = Json::object();
  Json text_ = Json::object();
  Json tables_ = Json::object();
  Json samples_ = Json::object();
  Json work_ = Json::object();
  Json files_ = Json::array();
  std::vector<std::string> notes_;
};

}  // namespace hpclab
