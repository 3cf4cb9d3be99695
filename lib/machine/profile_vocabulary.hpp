// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The names that figures of a machine profile may have. A figure under a name that no model looks
// for would be silently useless, so readers and writers accept these only.
#pragma once

#include <string>
#include <vector>

namespace hpclab::machine {

/// Groups in the order in which files are written: processor, clock, power, memory, dram, l3, ...
const std::vector<std::string>& profile_groups();

/// Names of one group in the order in which files are written; empty for an unknown group.
const std::vector<std::string>& profile_figure_names(const std::string& group);

}  // namespace hpclab::machine
