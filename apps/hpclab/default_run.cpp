// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/default_run.hpp"

#include "core/json_file.hpp"
#include "hpclab/machines.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include <fmt/format.h>

namespace hpclab::app {
namespace {

class Chooser {
 public:
  Chooser(const Program& program, const Study& study) : program_(program), study_(study) {
    if (study.family && !study.backends.empty())
      home_ = study.family(nullptr, study.backends.front());
  }

  void add_for(Backend backend, bool machine_given) {
    const std::string family = study_.family ? study_.family(nullptr, backend) : "";
    std::vector<std::string> names{name_of(backend)};
    if (family != home_) names.push_back(family);
    std::vector<Experiment> found = shipped(names);
    if (found.empty()) found = own();
    for (Experiment& experiment : found) {
      if (machine_given) experiment.methods.clear();  // its prediction beside the measurement
      experiment.backends = {backend};
    }
    add(std::move(found));
  }

  void add_for(const std::string& machine) {
    const std::string family =
        study_.family ? study_.family(find_machine(machine).profile.get(), std::nullopt) : "";
    std::vector<Experiment> found;
    if (family != home_) found = shipped({family});
    if (found.empty()) {
      add(own());
      return;
    }
    for (Experiment& experiment : found) {
      experiment.methods.clear();
      const bool available =
          std::none_of(experiment.backends.begin(), experiment.backends.end(),
                       [&](Backend b) { return program_.registry.why_not(b).has_value(); });
      if (available) continue;
      experiment.methods = predictions();
      experiment.backends.clear();
      remark_ = "; no device of this kind is here, so predictions only";
    }
    add(std::move(found));
  }

  void add_own() { add(own()); }

  DefaultRun finish() {
    for (Experiment& experiment : run_.experiments) experiment.from_defaults = true;
    std::string words;
    for (const std::string& source : sources_) words += (words.empty() ? "" : ", ") + source;
    if (!words.empty()) run_.words = "no parameters given: " + words + " run" + remark_;
    return std::move(run_);
  }

 private:
  std::vector<Experiment> own() {
    if (!study_.default_experiments.empty()) tell("the study's default experiments");
    return default_experiments(study_);
  }

  // Experiments of the first shipped configuration LAB/STUDY-NAME.json.
  std::vector<Experiment> shipped(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const std::string file = fmt::format("{}/{}-{}.json", study_.lab, study_.name, name);
      const std::filesystem::path path = share_folder() / "configs" / file;
      std::error_code error;
      if (!std::filesystem::is_regular_file(path, error)) continue;
      tell("the experiments of " + file);
      return experiments_from_json(read_json_file(path), program_.registry, path.string());
    }
    return {};
  }

  std::vector<Method> predictions() const {
    std::vector<Method> methods = study_.methods();
    std::erase(methods, Method::measure);
    return methods;
  }

  void tell(const std::string& source) {
    if (std::find(sources_.begin(), sources_.end(), source) == sources_.end())
      sources_.push_back(source);
  }

  void add(std::vector<Experiment> experiments) {
    run_.experiments.insert(run_.experiments.end(), std::make_move_iterator(experiments.begin()),
                            std::make_move_iterator(experiments.end()));
  }

  const Program& program_;
  const Study& study_;
  std::string home_;  // family of the default experiments
  DefaultRun run_;
  std::vector<std::string> sources_;
  std::string remark_;
};

}  // namespace

DefaultRun default_run(const Program& program, const Study& study, const Arguments& arguments) {
  Chooser chooser(program, study);
  const std::vector<std::string> machines = comma_words(arguments, "machine");
  if (!study.backends.empty() && arguments.has("backend")) {
    for (const std::string& name : comma_words(arguments, "backend"))
      chooser.add_for(parse_backend(name, "--backend"), !machines.empty());
  } else if (!study.backends.empty() && !machines.empty()) {
    chooser.add_for(machines.front());
  } else {
    chooser.add_own();
  }
  return chooser.finish();
}

}  // namespace hpclab::app
