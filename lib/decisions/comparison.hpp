// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Which cases of two sides belong together, and what became of each.
#pragma once

#include "decisions/side.hpp"
#include "decisions/verdict.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hpclab::decisions {

enum class Adjustment { holm, benjamini_hochberg, none };
std::string name_of(Adjustment adjustment);
/// UsageError with the nearest name.
Adjustment parse_adjustment(const std::string& name, const std::string& where);

struct ComparisonOptions {
  DecisionRule rule;
  Adjustment adjustment = Adjustment::holm;
  std::vector<std::string> ignored;  ///< parameters that do not tell cases apart
};

/// What a verdict rests on.
enum class Basis {
  processes,    ///< medians of at least fewest_processes processes a side
  samples,      ///< raw samples of fewer processes: they are correlated
  exact,        ///< a model or simulation: the figures have no noise
  same_record,  ///< both sides hold the very same measurement
  none          ///< too few figures
};

struct ComparedCase {
  std::uint32_t a = 0;  ///< index into cases of side A
  std::uint32_t b = 0;
  Verdict verdict = Verdict::unsure;
  Basis basis = Basis::none;
  Centre95 value_a;  ///< of the processes' values
  Centre95 value_b;
  std::uint32_t processes_a = 0;
  std::uint32_t processes_b = 0;
  std::optional<Evidence> evidence;  ///< where a test was made
  double adjusted_p = 1.0;
  /// Of the cost, B against A: positive is worse, whichever way the value gets better. None where a
  /// value is not positive.
  std::optional<double> slowdown;
  std::string remark;  ///< "single process", why UNSURE, ...
  bool broke = false;  ///< A has a figure, B failed
};

struct Comparison {
  std::vector<ComparedCase> cases;
  std::vector<std::uint32_t> only_a;  ///< cases without a partner
  std::vector<std::uint32_t> only_b;
  std::uint64_t without_figures = 0;  ///< pairs of which neither side has a figure
  std::uint64_t tests = 0;            ///< over which p-values were adjusted
  std::vector<std::string> warnings;
};

/// Joins on lab, study, method, backend and parameters (without the ignored ones) and decides.
/// Throws UsageError when no case has a partner, naming what differs; and when an ignored name is
/// no parameter of any case, or when without it two cases of one side are the same.
Comparison compare(const Side& a, const Side& b, const ComparisonOptions& options);

/// The slowest loss of a comparison that a gate refuses: cases that are SLOW by at least `gate`, or
/// that broke.
std::vector<const ComparedCase*> beyond_gate(const Comparison& comparison, double gate);

/// What differs between the machines, builds and settings of the two sides, one line each.
std::vector<std::string> provenance_differences(const Side& a, const Side& b);

}  // namespace hpclab::decisions
