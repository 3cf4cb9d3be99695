// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A study: one question, its parameters and values, and up to three functions that answer it. A
// study's folder defines `Study study()`; StudyDefinition turns typed functions over its plain
// parameter struct into the untyped form that the runner, the command line and the schema work
// with.
#pragma once

#include "core/json.hpp"
#include "core/method.hpp"
#include "core/parameter.hpp"
#include "core/result.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab {

class Context;
namespace machine {
class MachineProfile;
}

enum class Better { higher, lower, neither };
std::string name_of(Better better);

/// A value that the study's results may carry. The unit is the name's suffix.
struct ValueSpec {
  std::string name;
  std::string meaning;
  Better better = Better::neither;
  bool headline = false;  ///< shown in the table; the first one is paired into `error_ratio`
};

/// The study's own picture: which kind, and which parameters or values it shows.
struct PlotSpec {
  std::string kind = "lines";  ///< lines, bars, roofline, concurrency
  std::string x;
  std::string y;
  std::vector<std::string> series;
  bool log_x = false;
  bool log_y = false;
  bool mark_best = false;  ///< the best point of each line is marked and named
};

/// What a case will need, said before anything is allocated or started.
struct Estimate {
  double bytes = 0;
  double seconds = 0;
};

/// A file that the study can write after a run, an option of the command line that is no parameter
/// because it changes no result.
struct OutputSpec {
  std::string name;  ///< "save-machine"
  std::string help;
};

/// What is left when a run has ended: for the study's closing words and files.
struct RunSummary {
  std::vector<Json>
      records;  ///< the study's case records of this run and, on --resume, of the file
  std::vector<std::pair<std::string, std::string>> outputs;  ///< OutputSpec name -> path given
  bool default_experiment = false;                           ///< the user gave no parameters
  bool complete = false;  ///< no case failed, none was interrupted
};

struct Study {
  std::string lab;
  std::string name;
  std::string question;
  std::vector<ParameterSpec> parameters;
  std::vector<ValueSpec> values;
  PlotSpec plot;
  std::vector<Backend> backends;       ///< for measure; the first available one is the default
  bool reads_machine_profile = false;  ///< model and simulate depend on --machine
  std::string default_machine;         ///< profile without --machine; empty: this host's saved one
  /// What kind of machine a profile describes, or a backend measures on: a prediction is paired
  /// with measurements of the same family only. Empty: any prediction suits any measurement.
  std::function<std::string(const machine::MachineProfile*, std::optional<Backend>)> family;
  std::vector<OutputSpec> outputs;
  Json default_experiments =
      Json::array();  ///< parameters/zip/exclude objects; run when nothing is given

  std::function<Result(const Json&, Context&)> model;
  std::function<Result(const Json&, Context&)> simulate;
  std::function<Result(const Json&, Backend, Context&)> measure;
  std::function<Estimate(const Json&, Method)> estimate;
  std::function<std::vector<std::string>(const RunSummary&)> conclude;
  /// Adds to a measurement what follows from it and from the record of its prediction by the model
  /// together, such as the share of a predicted limit; empty: nothing beyond `error_ratio`.
  std::function<void(const Json& prediction, Result& measured)> compare;

  std::string full_name() const { return lab + "/" + name; }
  bool has(Method method) const;
  std::vector<Method> methods() const;
  const ValueSpec* find_value(std::string_view value_name) const;
};

/// Builds a Study from typed functions over the parameter struct P.
template <class P>
class StudyDefinition {
 public:
  StudyDefinition(std::string lab, std::string name, std::string question, ParameterTable<P> table)
      : table_(std::move(table)) {
    study_.lab = std::move(lab);
    study_.name = std::move(name);
    study_.question = std::move(question);
    study_.parameters = table_.specs();
  }

  StudyDefinition& value(ValueSpec spec) {
    study_.values.push_back(std::move(spec));
    return *this;
  }
  StudyDefinition& plot(PlotSpec spec) {
    study_.plot = std::move(spec);
    return *this;
  }
  StudyDefinition& output(OutputSpec spec) {
    study_.outputs.push_back(std::move(spec));
    return *this;
  }
  StudyDefinition& reads_machine_profile(std::string default_machine = "") {
    study_.reads_machine_profile = true;
    study_.default_machine = std::move(default_machine);
    return *this;
  }
  StudyDefinition& pairs_by(
      std::function<std::string(const machine::MachineProfile*, std::optional<Backend>)> family) {
    study_.family = std::move(family);
    return *this;
  }
  /// `experiments`: a list of {"parameters", "zip", "exclude"} objects.
  StudyDefinition& default_experiments(Json experiments) {
    study_.default_experiments = std::move(experiments);
    return *this;
  }
  StudyDefinition& model(std::function<Result(const P&, Context&)> function) {
    study_.model = [table = table_, function = std::move(function)](const Json& p,
                                                                    Context& context) {
      return function(table.bind(p), context);
    };
    return *this;
  }
  StudyDefinition& simulate(std::function<Result(const P&, Context&)> function) {
    study_.simulate = [table = table_, function = std::move(function)](const Json& p,
                                                                       Context& context) {
      return function(table.bind(p), context);
    };
    return *this;
  }
  StudyDefinition& measure(std::vector<Backend> backends,
                           std::function<Result(const P&, Backend, Context&)> function) {
    study_.backends = std::move(backends);
    study_.measure = [table = table_, function = std::move(function)](
                         const Json& p, Backend backend, Context& context) {
      return function(table.bind(p), backend, context);
    };
    return *this;
  }
  StudyDefinition& estimate(std::function<Estimate(const P&, Method)> function) {
    study_.estimate = [table = table_, function = std::move(function)](
                          const Json& p, Method method) { return function(table.bind(p), method); };
    return *this;
  }
  StudyDefinition& compare(std::function<void(const Json& prediction, Result& measured)> function) {
    study_.compare = std::move(function);
    return *this;
  }
  StudyDefinition& conclude(std::function<std::vector<std::string>(const RunSummary&)> function) {
    study_.conclude = std::move(function);
    return *this;
  }

  Study build() const { return study_; }

 private:
  ParameterTable<P> table_;
  Study study_;
};

}  // namespace hpclab
