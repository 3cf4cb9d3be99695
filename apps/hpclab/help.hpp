// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Help texts, generated from the same tables that parse the arguments.
#pragma once

#include "core/study.hpp"
#include "hpclab/verb.hpp"

#include <string>
#include <vector>

namespace hpclab::app {

/// Help of a study: its question, methods, parameter table, values, two examples.
std::string study_help(const Study& study);

/// Help of any other verb: usage, summary, sub-verbs, options.
std::string verb_help(const Verb& verb, const std::vector<std::string>& path);

/// The exit codes, one a line.
std::string exit_code_help();

}  // namespace hpclab::app
