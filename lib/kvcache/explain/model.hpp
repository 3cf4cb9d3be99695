// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The model of `hpclab kvcache explain`: a log beside what was to be expected.
#pragma once

#include "core/context.hpp"
#include "core/json.hpp"
#include "core/result.hpp"
#include "kvcache/explain/parameters.hpp"

#include <string>
#include <vector>

namespace hpclab::kvcache::explain {

/// UsageError: no log, no engine's log. CaseFailed: a model that the log does not name or that no
/// description is shipped of; a log without a size that could be explained.
Result model(const Parameters& p, Context& context);

/// A case's record as a person reads it.
std::vector<std::string> explanation_lines(const Json& record);

}  // namespace hpclab::kvcache::explain
