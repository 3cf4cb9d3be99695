// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The command line as data: verbs with options. Parsing, help and completion all read this tree; a
// verb's file declares its options and what it does.
#pragma once

#include "core/error.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hpclab::app {

struct Program;

enum class OptionKind {
  flag,       ///< --json
  value,      ///< --out FILE, at most once
  list,       ///< --set X, any number of times
  positional  ///< FILE..., by order; `many` takes the rest
};

struct Option {
  std::string name;  ///< without dashes; hyphens between words
  OptionKind kind = OptionKind::flag;
  std::string value_name{};  ///< "FILE", shown in help
  std::string help{};
  std::string short_name{};            ///< one letter or empty
  bool required = false;               ///< positionals only
  bool many = false;                   ///< the last positional takes any number
  std::vector<std::string> choices{};  ///< for completion
  std::string group{};                 ///< heading in help
  bool takes_file = false;             ///< completion offers file names
};

/// What was given, by option name.
class Arguments {
 public:
  void add(const std::string& name, std::vector<std::string> values) {
    values_[name] = std::move(values);
  }
  bool has(const std::string& name) const { return values_.contains(name); }
  const std::vector<std::string>& all(const std::string& name) const;
  /// The single value, or nullopt.
  std::optional<std::string> one(const std::string& name) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

/// Comma-separated words of all uses of an option; UsageError for an empty word.
std::vector<std::string> comma_words(const Arguments& arguments, const std::string& option);

/// The share that an option gives ("2%" or 0.02), or `fallback`; UsageError when it is none or not
/// within [low, high].
double share_argument(const Arguments& arguments, const std::string& option, double fallback,
                      double low, double high);

struct Verb {
  std::string name;
  std::string summary;  ///< one line
  std::vector<Option> options;
  std::vector<Verb> verbs;
  std::string command_name{};  ///< what follows `--`, taken unread as `command`; empty: nothing may
  bool passes_extras = false;  ///< unknown arguments go to `extras` unread (plot, report)
  std::function<std::string(const Program&)> help;          ///< empty: generated
  std::function<ExitCode(Program&, const Arguments&)> run;  ///< empty: a sub-verb is needed
};

// One function a verb, each in the file of its name.
Verb list_verb();
Verb describe_verb();
Verb doctor_verb();
Verb completion_verb();
Verb run_verb(const Program& program);
Verb report_verb();
Verb plot_verb();
Verb merge_verb();
Verb validate_verb();
Verb compare_verb();
Verb ab_verb();
Verb exec_verb();
Verb export_verb();
Verb man_verb();
Verb claims_verb();
Verb study_verb(const Program& program, const std::string& lab, const std::string& study);

/// The whole tree, labs and their studies included.
Verb root_verb(const Program& program);

}  // namespace hpclab::app
