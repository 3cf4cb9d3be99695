// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Lines of vLLM, versions 0.4 to 0.29.
#include "core/error.hpp"
#include "kvcache/explain/log_text.hpp"

#include <array>

namespace hpclab::kvcache::explain {
namespace {

struct Key {
  std::string_view spelling;
  const char* name;
};

// In the engine's configuration (key=value) and in the list of arguments ('key': value).
constexpr std::array configuration{
    Key{"max_seq_len=", "max_model_len"},
    Key{"tensor_parallel_size=", "tp"},
    Key{"pipeline_parallel_size=", "pp"},
    Key{"data_parallel_size=", "dp"},
    Key{"'tensor_parallel_size': ", "tp"},
    Key{"'pipeline_parallel_size': ", "pp"},
    Key{"'data_parallel_size': ", "dp"},
    Key{"'gpu_memory_utilization': ", "gpu_memory_utilization"},
    Key{"'max_num_seqs': ", "max_num_seqs"},
    Key{"'max_num_batched_tokens': ", "max_num_batched_tokens"},
    Key{"'max_model_len': ", "max_model_len"},
    Key{"'block_size': ", "block"},
    Key{"max_num_batched_tokens=", "max_num_batched_tokens"},
    Key{"Using max model len ", "max_model_len"},
    Key{"Setting attention block size to ", "attention_block"},
    Key{"max_cudagraph_capture_size': ", "cudagraph_max_batch"},
};

void read_version(std::string_view line, LogFacts& facts) {
  for (std::string_view phrase :
       {"LLM engine (v", "LLM engine (V", "API server version ", "█  version "}) {
    const auto text = word_after(line, phrase);
    if (!text) continue;
    try {
      facts.version = parse_engine_version(*text, "log");
      facts.version_text = *text;
      return;
    } catch (const UsageError&) {
      facts.version_text = *text;  // said as unknown
    }
  }
}

bool read_configuration(std::string_view line, LogFacts& facts) {
  bool found = false;
  for (const Key& key : configuration) {
    if (const auto value = number_after(line, key.spelling)) {
      facts.numbers[key.name] = *value;
      found = true;
    }
  }
  for (std::string_view phrase : {"with config: model=", "'model': "}) {
    if (const auto model = word_after(line, phrase)) {
      facts.model = *model;
      found = true;
    }
  }
  for (const auto& [phrase, name] :
       {std::pair{"kv_cache_dtype=", "kv_dtype"}, std::pair{"'kv_cache_dtype': ", "kv_dtype"},
        std::pair{"quantization=", "quantization"}, std::pair{" dtype=torch.", "dtype"}}) {
    if (const auto word = word_after(line, phrase)) {
      facts.words[name] = *word;
      found = true;
    }
  }
  if (line.find("enforce_eager=True") != std::string_view::npos ||
      line.find("'enforce_eager': True") != std::string_view::npos) {
    facts.numbers["cudagraph_max_batch"] = 0;
    found = true;
  }
  return found;
}

void note_available(const LoggedBytes& size, LogFacts& facts) {
  LoggedBytes stored = size;
  stored.line = facts.lines;
  if (!facts.least_available || stored.bytes < facts.least_available->bytes) {
    facts.least_available = stored;
  }
  if (!facts.most_available || stored.bytes > facts.most_available->bytes) {
    facts.most_available = stored;
  }
}

// Sizes that one phrase introduces or follows.
bool read_sizes(std::string_view line, LogFacts& facts) {
  bool found = false;
  const auto take = [&](const char* name, const std::optional<LoggedBytes>& size) {
    if (!size) return;
    facts.set_size(name, *size);
    found = true;
  };
  take("weights", size_after(line, "Model loading took "));
  take("weights", size_after(line, "Loading model weights took "));
  take("weights", size_after(line, "model weights take "));
  take("libraries", size_after(line, "non_torch_memory takes "));
  take("activation", size_after(line, "activation peak memory takes "));
  take("total", size_after(line, "total_gpu_memory ("));
  take("graphs_estimated", size_after(line, "Estimated CUDA graph memory: "));
  take("graphs_actual", size_after(line, "CUDA graph pool memory: "));
  if (line.find("Graph capturing finished") != std::string_view::npos) {
    take("graphs_actual", size_after(line, "took "));
  }
  if (const auto rest = after(line, "Actual usage is ")) {
    take("weights", size_before(*rest, " for weight"));
    take("consumed", size_before(*rest, " for consumed memory"));
    take("activation", size_before(*rest, " for peak activation"));
    take("libraries", size_before(*rest, " for non-torch memory"));
  }
  for (std::string_view phrase :
       {"Available KV cache memory: ", "the rest of the memory reserved for KV Cache is "}) {
    if (const auto size = size_after(line, phrase)) {
      note_available(*size, facts);
      take("available", size);
    }
  }
  if (const auto rest = after(line, "Free memory on device")) {
    // "(78.84/79.25 GiB)", with or without the device's name before it.
    const std::size_t slash = rest->find('/');
    if (slash != std::string_view::npos) take("total", leading_size(rest->substr(slash + 1)));
    if (const auto utilization = number_after(line, "Desired GPU memory utilization is (")) {
      facts.numbers["gpu_memory_utilization"] = *utilization;
    }
  }
  if (const auto utilization = number_after(line, "gpu_memory_utilization (")) {
    facts.numbers["gpu_memory_utilization"] = *utilization;
    found = true;
  }
  if (const auto utilization = number_after(line, "The current --gpu-memory-utilization=")) {
    facts.numbers["gpu_memory_utilization"] = *utilization;
    facts.numbers["counts_graphs"] = 1;
    found = true;
  }
  return found;
}

bool read_pool(std::string_view line, LogFacts& facts) {
  bool found = false;
  const auto take = [&](const char* name, std::string_view phrase) {
    if (const auto value = number_after(line, phrase)) {
      facts.numbers[name] = *value;
      found = true;
    }
  };
  take("tokens", "GPU KV cache size: ");
  take("blocks", "# GPU blocks: ");
  take("blocks", "# CUDA blocks: ");
  take("blocks", "# cuda blocks: ");
  if (const auto padding = number_after(line, "Add ");
      padding && line.find("padding layers") != std::string_view::npos) {
    facts.numbers["padding_layers"] = *padding;
    found = true;
  }
  if (const auto rest = after(line, "Maximum concurrency for ")) {
    if (const auto length = leading_number(*rest)) facts.numbers["max_model_len"] = *length;
    if (const auto times = number_after(*rest, "per request: ")) {
      facts.numbers["concurrency"] = *times;
      found = true;
    }
  }
  return found;
}

}  // namespace

bool read_vllm_line(std::string_view line, LogFacts& facts) {
  read_version(line, facts);
  bool found = false;
  // Long lines of configuration repeat keys within nested objects: the first ones are meant.
  if (line.find("LLM engine (") != std::string_view::npos ||
      line.find("non-default args") != std::string_view::npos ||
      line.find("max_num_batched_tokens=") != std::string_view::npos ||
      line.find("Using max model len ") != std::string_view::npos ||
      line.find("Setting attention block size") != std::string_view::npos) {
    found = read_configuration(line, facts);
  }
  found = read_sizes(line, facts) || found;
  found = read_pool(line, facts) || found;
  return found;
}

}  // namespace hpclab::kvcache::explain
