// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How near a figure must come to what a claim expects.
#pragma once

#include "core/json.hpp"

#include <optional>
#include <string>

namespace hpclab {

class ClaimTolerance {
 public:
  enum class Rule {
    exact,            ///< the same number or the same text
    relative,         ///< |ours - expected| <= amount x |expected|
    absolute,         ///< |ours - expected| <= amount
    standard_errors,  ///< |ours - expected| <= amount x standard error of ours
    at_least,         ///< ours >= expected
    at_most,          ///< ours <= expected
    within,           ///< expected is [low, high]
    contains          ///< ours is a text that holds the expected one
  };
  Rule rule = Rule::exact;
  double amount = 0;

  std::string text() const;  ///< "0.05 %", "at least", "3 standard errors"
};

/// Reads "exact", "at_least", "at_most", "within", "contains", or an object with one of "relative",
/// "absolute", "standard_errors". Throws UsageError that starts with `where`.
ClaimTolerance parse_claim_tolerance(const Json& json, const std::string& where);

/// Why `expected` (a number, text, or two numbers) does not suit the rule; empty when it does.
std::string misfit_of(const Json& expected, const ClaimTolerance& tolerance);

struct ClaimMatch {
  bool met = false;
  std::optional<double> error_ratio;  ///< ours / expected - 1; nullopt for texts and expected 0
};

/// Compares figures of the same type. `standard_error` is needed by that rule only.
ClaimMatch compare(const Json& ours, const Json& expected, const ClaimTolerance& tolerance,
                   double standard_error);

}  // namespace hpclab
