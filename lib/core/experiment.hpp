// hpclab: SPDX-License-Identifier: Apache-2.0
//
// An experiment: a study with axes over its parameters, methods and backends. It comes from a
// configuration file, from the command line, or from both (option > --set > file > default).
#pragma once

#include "core/expression.hpp"
#include "core/registry.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hpclab {

struct Experiment {
  const Study* study = nullptr;
  std::vector<Method> methods;    ///< empty: all that the study has
  std::vector<Backend> backends;  ///< empty: the first available one of the study
  std::vector<std::pair<std::string, std::vector<Json>>>
      axes;                                    ///< given parameters, checked values
  std::vector<std::vector<std::string>> zips;  ///< axes that advance together
  std::vector<Expression> excludes;
  std::vector<std::string> machines;  ///< profiles for model and simulate; empty: the default one
  std::uint64_t seed = 1;
  std::string stopping_rule;   ///< when a measurement has enough samples; empty: the default rule
  bool from_defaults = false;  ///< made from the study's default experiments

  /// Sets or replaces the axis of a parameter; values that stand for several are expanded.
  void set_axis(const std::string& parameter, std::vector<Json> values);
  const std::vector<Json>* find_axis(std::string_view parameter) const;
  /// `--set` text: a=1,2,b=3.
  void set_from_text(std::string_view assignments, const std::string& where);
  /// Zip group and exclude rule after checking their names.
  void add_zip(std::vector<std::string> names, const std::string& where);
  void add_exclude(std::string_view text, const std::string& where);
};

/// Experiments of a document: one configuration, or {"experiments": [...]}. Unknown keys, studies,
/// parameters and wrong types are UsageErrors with file and JSON pointer.
std::vector<Experiment> experiments_from_json(const Json& document, const Registry& registry,
                                              const std::string& where);

/// The study's own default experiments: what runs when the user gives no parameter.
std::vector<Experiment> default_experiments(const Study& study);

}  // namespace hpclab
