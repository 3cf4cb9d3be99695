// hpclab: SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hpclab/verb.hpp"

#include <string>
#include <vector>

namespace hpclab::app {

/// The verb that the arguments name, with its path ("roofline ceilings") and what was given.
struct Invocation {
  const Verb* verb = nullptr;
  std::vector<std::string> path;
  Arguments arguments;
  bool help = false;
  bool quiet = false;    ///< --quiet anywhere on the line
  bool verbose = false;  ///< --verbose anywhere on the line
};

/// Parses; throws UsageError with the nearest name for unknown verbs and options.
Invocation parse_command_line(const Verb& root, const std::vector<std::string>& arguments);

}  // namespace hpclab::app
