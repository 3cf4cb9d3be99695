// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Runs processes of two programs in turns and hands what they measured to the decision.
#pragma once

#include "core/stop_token.hpp"
#include "decisions/interleaved.hpp"
#include "decisions/side.hpp"

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace hpclab::app {

struct InterleavedRequest {
  std::vector<std::string> a;  ///< program and arguments; `--out FILE` is put behind the first word
  std::vector<std::string> b;
  std::vector<std::string> ignored;  ///< parameters that do not tell cases apart
  std::optional<std::string> value;
  decisions::DecisionRule rule;
  double budget_s = 30.0;
  std::filesystem::path folder;  ///< gets a/ and b/ with one record file a process
  StopToken stop;
};

struct InterleavedCase {
  std::string parameters;  ///< as A recorded them
  decisions::Quantity quantity;
  decisions::InterleavedFinding finding;
  double detectable = std::numeric_limits<double>::infinity();  ///< relative, in the whole budget
};

struct InterleavedOutcome {
  std::vector<InterleavedCase> cases;
  std::size_t blocks = 0;
  double seconds = 0.0;
  double budget_s = 0.0;
  std::string why;  ///< "every case is decided" or what ended it
  bool interrupted = false;
};

/// One process of each side warms up and says which cases there are; then blocks A B B A and
/// B A A B alternate until a look finds every case decided, the budget is spent, or a stop is
/// requested. Throws UsageError with the program's own message when a process fails or no case with
/// a positive figure is in both.
InterleavedOutcome run_interleaved(const InterleavedRequest& request);

}  // namespace hpclab::app
