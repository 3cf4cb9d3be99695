// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The formats of public serving traces, and how a file says which one it is in.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hpclab::kvcache::requests {

enum class TraceFormat {
  automatic,  ///< told by the first line
  mooncake,   ///< JSON lines with hash_ids of 512 tokens (Mooncake, FAST 2025)
  bailian,    ///< JSON lines with chat_id and hash_ids of 16 tokens (Qwen-Bailian, ATC 2025)
  weka,       ///< JSON documents of agent sessions with nested subagents (AgentX)
  tokens,     ///< JSON lines with the token ids of the prompt
  azure       ///< CSV of lengths (Azure LLM inference traces)
};

const std::vector<std::pair<std::string, TraceFormat>>& trace_format_names();
std::string name_of(TraceFormat format);

/// Looks at the first line that is not blank. UsageError that names what was found and what each
/// format would show.
TraceFormat detect_format(const std::filesystem::path& path);

}  // namespace hpclab::kvcache::requests
