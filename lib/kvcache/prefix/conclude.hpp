// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The closing words of a run: hit ratios by capacity, one column a policy, and generated requests
// as a file.
#pragma once

#include "core/study.hpp"

#include <string>
#include <vector>

namespace hpclab::kvcache::prefix {

std::vector<std::string> conclude(const RunSummary& summary);

}  // namespace hpclab::kvcache::prefix
