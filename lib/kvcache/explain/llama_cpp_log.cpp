// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Lines of llama.cpp and its forks.
#include "core/error.hpp"
#include "kvcache/explain/log_text.hpp"

namespace hpclab::kvcache::explain {
namespace {

// "size = 4352.00 MiB ( 32768 cells,  64 layers,  1/1 seqs), K (q8_0): ..."
bool read_cache(std::string_view line, LogFacts& facts) {
  const bool recurrent = line.find("llama_memory_recurrent: size") != std::string_view::npos ||
                         line.find("llama_kv_cache_recurrent: size") != std::string_view::npos;
  const bool attention = line.find("llama_kv_cache") != std::string_view::npos;
  if (!recurrent && !attention) return false;
  const auto size = size_after(line, "size =");
  if (!size || line.find("cells") == std::string_view::npos) return false;
  LoggedCache cache;
  cache.size = *size;
  cache.size.line = facts.lines;
  cache.recurrent = recurrent;
  const auto whole = [](std::optional<double> value) {
    return static_cast<std::int64_t>(value.value_or(0));
  };
  cache.cells = whole(number_after(line, "MiB ("));
  if (const auto rest = after(line, "cells,")) cache.layers = whole(leading_number(*rest));
  if (const auto rest = after(line, "layers,")) cache.sequences = whole(leading_number(*rest));
  if (const auto format = word_after(line, "K (")) cache.key_format = *format;
  if (facts.caches.size() < 64) facts.caches.push_back(cache);
  return true;
}

}  // namespace

bool read_llama_cpp_line(std::string_view line, LogFacts& facts) {
  if (read_cache(line, facts)) return true;
  bool found = false;
  const auto take = [&](const char* name, std::string_view phrase) {
    if (const auto size = size_after(line, phrase)) {
      facts.set_size(name, *size);
      found = true;
    }
  };
  take("kv_total", "KV self size  =");
  take("kv_total", "KV self size =");
  take("file", "file size   =");
  take("file", "model size       =");
  if (line.find("model buffer size") != std::string_view::npos &&
      line.find("CPU") == std::string_view::npos) {
    take("weights", "model buffer size =");
  }
  if (line.find("compute buffer size") != std::string_view::npos &&
      line.find("Host") == std::string_view::npos) {
    take("compute", "compute buffer size =");
  }
  if (const auto format = word_after(line, "KV self size"); format && line.find("K (")) {
    if (const auto key = word_after(line, "K (")) facts.words["kv_dtype"] = *key;
  }
  for (const auto& [phrase, name] :
       {std::pair{"n_ctx         =", "context"}, std::pair{"n_ctx      =", "context"},
        std::pair{"n_ubatch      =", "max_num_batched_tokens"},
        std::pair{"n_ubatch   =", "max_num_batched_tokens"},
        std::pair{"n_seq_max     =", "max_num_seqs"}, std::pair{"n_seq_max  =", "max_num_seqs"}}) {
    const auto rest = after(line, phrase);
    if (!rest) continue;
    if (const auto value = leading_number(*rest)) {
      facts.numbers[name] = *value;
      found = true;
    }
  }
  if (const auto unified = word_after(line, "kv_unified    =")) {
    facts.numbers["kv_unified"] = *unified == "true" ? 1 : 0;
    found = true;
  }
  if (const auto build = number_after(line, "build: ")) {
    facts.version = EngineVersion{static_cast<int>(*build < 1e6 ? *build : 0), 0, 0};
    facts.version_text = facts.version->text();
    found = true;
  }
  if (const auto name = after(line, "general.name")) {
    if (const auto word = word_after(*name, "= ")) facts.model = *word;
  }
  return found;
}

}  // namespace hpclab::kvcache::explain
