// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The one place where a measurement meets the predictions of the same parameters.
#pragma once

#include "core/case.hpp"
#include "core/result.hpp"

#include <optional>
#include <string>
#include <unordered_map>

namespace hpclab {

/// measured / predicted - 1: positive when the measurement is above the prediction.
/// nullopt where the prediction is 0.
std::optional<double> error_ratio(double measured, double predicted);

/// Remembers predictions and writes them into measurements.
class PredictionBook {
 public:
  /// Takes the record of a finished model or simulate case. Of several predictions with the same
  /// parameters (other machines, say) the first is kept.
  void add(const Case& c, const Json& record);

  /// Adds to a measurement: `predicted_X` (model) and `simulated_X` (simulation) for every value X
  /// that both have, with their intervals; `error_ratio` of the first headline value against the
  /// model (else the simulation), and `simulation_error_ratio` where both predict; text
  /// `predicted_for` with the machine profile's name; and what the study itself compares.
  void pair(const Case& c, Result& result) const;

 private:
  std::unordered_map<std::string, Json> by_key_;
};

}  // namespace hpclab
