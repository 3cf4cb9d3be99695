// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Lines of SGLang; its GB are GiB.
#include "core/error.hpp"
#include "kvcache/explain/log_text.hpp"

#include <array>

namespace hpclab::kvcache::explain {
namespace {

struct Key {
  std::string_view spelling;
  const char* name;
};
constexpr std::array arguments{
    Key{"mem_fraction_static=", "gpu_memory_utilization"},
    Key{"tp_size=", "tp"},
    Key{" page_size=", "block"},
    Key{"chunked_prefill_size=", "max_num_batched_tokens"},
    Key{"max_running_requests=", "max_num_seqs"},
    Key{"context_len=", "max_model_len"},
    Key{"max_total_num_tokens=", "tokens"},
};

}  // namespace

bool read_sglang_line(std::string_view line, LogFacts& facts) {
  bool found = false;
  if (line.find("server_args=") != std::string_view::npos ||
      line.find("max_total_num_tokens=") != std::string_view::npos) {
    for (const Key& key : arguments) {
      if (const auto value = number_after(line, key.spelling)) {
        facts.numbers[key.name] = *value;
        found = true;
      }
    }
    if (const auto model = word_after(line, "model_path=")) facts.model = *model;
    if (const auto format = word_after(line, "kv_cache_dtype=")) facts.words["kv_dtype"] = *format;
  }
  if (const auto version = word_after(line, "sglang version ")) {
    facts.version_text = *version;
    try {
      facts.version = parse_engine_version(*version, "log");
    } catch (const UsageError&) {
      facts.version.reset();
    }
    found = true;
  }
  const auto take = [&](const char* name, const std::optional<LoggedBytes>& size) {
    if (!size) return;
    facts.set_size(name, *size);
    found = true;
  };
  if (line.find("Load weight begin") != std::string_view::npos) {
    take("free_before", size_after(line, "avail mem="));
  }
  if (line.find("Load weight end") != std::string_view::npos) {
    take("weights", size_after(line, "mem usage="));
    take("free_after", size_after(line, "avail mem="));
  }
  if (line.find("KV Cache is allocated") != std::string_view::npos) {
    if (const auto tokens = number_after(line, "#tokens: ")) facts.numbers["tokens"] = *tokens;
    take("keys", size_after(line, "K size: "));
    take("values", size_after(line, "V size: "));
    take("latent", size_after(line, "KV size: "));
    found = true;
  }
  if (line.find("Memory pool end") != std::string_view::npos) {
    take("free_after_pool", size_after(line, "avail mem="));
  }
  if (line.find("apture cuda graph end") != std::string_view::npos) {
    take("graphs_actual", size_after(line, "mem usage="));
  }
  return found;
}

}  // namespace hpclab::kvcache::explain
