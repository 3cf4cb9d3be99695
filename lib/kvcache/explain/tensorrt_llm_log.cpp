// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Lines of TensorRT-LLM.
#include "core/error.hpp"
#include "kvcache/explain/log_text.hpp"

namespace hpclab::kvcache::explain {

bool read_tensorrt_llm_line(std::string_view line, LogFacts& facts) {
  bool found = false;
  const auto take = [&](const char* name, const std::optional<LoggedBytes>& size) {
    if (!size) return;
    facts.set_size(name, *size);
    found = true;
  };
  const auto count = [&](const char* name, std::string_view phrase) {
    if (const auto value = number_after(line, phrase)) {
      facts.numbers[name] = *value;
      found = true;
    }
  };
  if (line.find("calculating max tokens in paged kv cache") != std::string_view::npos) {
    take("total", size_after(line, "total: "));
    take("free_after", size_after(line, "available: "));
  }
  if (line.find("for max tokens in paged KV cache") != std::string_view::npos) {
    take("available", size_after(line, "Allocated "));
    count("tokens", "for max tokens in paged KV cache (");
  }
  count("blocks", "Number of blocks in KV cache primary pool: ");
  count("block", "Number of tokens per block: ");
  count("tokens", "Max tokens in paged KV cache: ");
  count("gpu_memory_utilization", "free_gpu_memory_fraction=");
  count("gpu_memory_utilization", "kvCacheFreeGpuMemFraction: ");
  if (line.find("Loaded engine size") != std::string_view::npos) {
    take("weights", size_after(line, "Loaded engine size: "));
  }
  for (std::string_view phrase : {"TensorRT-LLM version: ", "TensorRT LLM version: "}) {
    const auto version = word_after(line, phrase);
    if (!version) continue;
    facts.version_text = *version;
    try {
      facts.version = parse_engine_version(*version, "log");
    } catch (const UsageError&) {
      facts.version.reset();
    }
    found = true;
  }
  return found;
}

}  // namespace hpclab::kvcache::explain
