// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A case: one point of the parameter grid with one method and one backend; and the expansion of
// experiments into cases.
#pragma once

#include "core/experiment.hpp"
#include "core/stop_token.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hpclab {

namespace machine {
class MachineProfile;
}

/// A machine profile as the records name it.
struct MachineReference {
  std::string name;
  std::string sha256;
  std::shared_ptr<const machine::MachineProfile> profile;
};

struct Case {
  const Study* study = nullptr;
  Method method = Method::model;
  std::optional<Backend> backend;
  Json parameters;  ///< checked and resolved, as the study binds them
  Json recorded;    ///< as the record keeps them: files and the profile by name and sha256
  std::uint64_t seed = 1;
  std::string id;  ///< 16 hexadecimal digits
  std::optional<MachineReference> machine;
  /// Equal for a prediction and the measurement that it predicts: by predicting method.
  std::map<Method, std::string> pairing;
  bool from_defaults = false;              ///< of experiments that the study runs by itself
  std::string stopping_rule;               ///< empty: the rule of the run
  std::optional<std::string> skip_reason;  ///< the case is known not to apply here
};

/// The id of a record: the first 16 hexadecimal digits of the SHA-256 of lab, study, method,
/// backend, resolved parameters (sorted by name), seed and schema major.
std::string case_id(const std::string& lab, const std::string& study, const std::string& method,
                    const Json& backend, const Json& recorded_parameters, std::uint64_t seed);

struct ExpansionOptions {
  /// Finds a profile by name or file; the empty name means the default one. Required when a study
  /// reads machine profiles.
  std::function<MachineReference(const std::string& name)> find_machine;
  std::uint64_t max_cases = 100'000;
  /// An unavailable backend that was asked for: true makes its cases skipped records (batch files),
  /// false is an error (NotAvailable, exit code 4).
  bool skip_unavailable = false;
  StopToken stop;  ///< looked at while the grid is expanded; Interrupted is thrown
};

struct CaseList {
  std::vector<Case> cases;       ///< predictions before measurements
  std::uint64_t duplicates = 0;  ///< grid points that differ only in parameters without effect
  std::uint64_t excluded = 0;
  std::vector<std::string> unused;  ///< parameters given that have an effect on no case
};

/// Every case of the experiments. Throws UsageError when the product exceeds max_cases (the count
/// is in the message), a zip group has axes of different lengths, a method is not one of the
/// study's, or nothing is left.
CaseList expand(const std::vector<Experiment>& experiments, const Registry& registry,
                const ExpansionOptions& options);

/// Cases of shard `index` of `count` (index from 0). A measurement and its predictions share a
/// shard.
std::vector<Case> shard_of(std::vector<Case> cases, std::uint64_t index, std::uint64_t count);

}  // namespace hpclab
