// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A start-up log, plain or packed, of any of the engines.
#pragma once

#include "kvcache/explain/log_facts.hpp"

#include <filesystem>
#include <functional>
#include <string_view>

namespace hpclab::kvcache::explain {

/// Facts of the lines that `next` gives until it returns false. The engine is the one most of whose
/// lines are there.
LogFacts facts_of(const std::function<bool(std::string_view&)>& next);

/// Facts of a file (plain, gz or zst). UsageError when it cannot be read or no line of it is one of
/// a known engine.
LogFacts read_log(const std::filesystem::path& path);

}  // namespace hpclab::kvcache::explain
