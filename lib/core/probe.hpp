// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A probe looks at one aspect of the machine or of a component and says what it found, what that
// means for measurements, and how to mend it. Core defines the shape only; upper layers register
// theirs. `hpclab doctor` prints all probes; the run record keeps the facts of those marked for
// provenance.
#pragma once

#include "core/json.hpp"

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab {

enum class FindingStatus {
  ok,       ///< as it should be
  note,     ///< worth knowing, measurements stand
  warning,  ///< measurements may be noisy or low
  missing   ///< a component is absent; what needs it is not available
};

/// What a probe found. `facts` is JSON for provenance and `doctor --json`: numbers and words from
/// an allow-list, SI units in the names, never the environment as a whole.
struct Finding {
  FindingStatus status = FindingStatus::ok;
  std::string finding;  ///< one line: what is there
  std::string meaning;  ///< what it means for measurements; may be empty when status is ok
  std::string mend;     ///< the command or setting that mends it; may be empty
  Json facts = Json::object();
};

struct Probe {
  std::string name;         ///< lower case with hyphens, unique: "cpu", "huge-pages"
  std::string group;        ///< heading in the doctor's table: "processor", "memory", "tools"
  bool provenance = false;  ///< facts go into every run record; such probes start no child process
  std::function<Finding()> look;
};

class ProbeRegistry {
 public:
  /// Adds a probe; throws std::logic_error when the name is taken.
  void add(Probe probe);
  const std::vector<Probe>& probes() const { return probes_; }

 private:
  std::vector<Probe> probes_;
};

/// Runs one probe; an exception inside becomes a warning finding, never an error of the program.
Finding look(const Probe& probe);

const char* name_of(FindingStatus status);

/// Facts of all provenance probes by probe name: the "machine" object of a run record.
Json provenance_facts(const ProbeRegistry& registry);

}  // namespace hpclab
