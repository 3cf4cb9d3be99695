// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Which single flag buys the most tokens: every candidate is sized anew.
#include "core/error.hpp"
#include "kvcache/sizing.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

struct Candidate {
  std::string flag;
  std::string price;
  std::function<void(Deployment&)> change;
};

std::vector<Candidate> candidates(const ModelDescription& model, const Deployment& d) {
  std::vector<Candidate> all;
  const bool two_bytes = bytes_per_element(*d.key_format) >= 2;
  const bool vllm = d.engine == Engine::vllm;
  const bool latent = model.count(Mixer::latent_attention) > 0;
  if (two_bytes && d.engine != Engine::llama_cpp) {
    const bool sparse = latent && !model.layers.empty() &&
                        std::any_of(model.layers.begin(), model.layers.end(),
                                    [](const Layer& l) { return l.latent.indexer_dim > 0; });
    const ElementFormat format = sparse ? ElementFormat::fp8_ds_mla : ElementFormat::fp8;
    all.push_back({fmt::format("--kv-cache-dtype {}", name_of(format)), "keys and values of 8 bits",
                   [format](Deployment& x) { x.key_format = x.value_format = format; }});
  }
  if (two_bytes && d.engine == Engine::llama_cpp) return all;  // its cache has no limit to gain
  const char* fraction = vllm                         ? "--gpu-memory-utilization"
                         : d.engine == Engine::sglang ? "--mem-fraction-static"
                                                      : "free_gpu_memory_fraction";
  if (d.memory_fraction < 0.95 && d.available_bytes == 0) {
    all.push_back({fmt::format("{} 0.95", fraction), "less room for what is not profiled",
                   [](Deployment& x) { x.memory_fraction = 0.95; }});
  }
  if (vllm && d.available_bytes == 0) {
    if (d.max_batched_tokens > 1024) {
      const std::int64_t half = d.max_batched_tokens / 2;
      all.push_back({fmt::format("--max-num-batched-tokens {}", half), "slower prompts",
                     [half](Deployment& x) { x.max_batched_tokens = half; }});
    }
    if (d.max_sequences > 16) {
      const std::int64_t fewer = d.max_sequences / 4;
      all.push_back({fmt::format("--max-num-seqs {}", fewer), "fewer requests at once",
                     [fewer](Deployment& x) {
                       x.max_sequences = fewer;
                       x.graph_max_batch = -1;
                     }});
    }
    if (d.graph_max_batch > 0) {
      all.push_back(
          {"--enforce-eager", "slower decoding", [](Deployment& x) { x.graph_max_batch = 0; }});
    }
  }
  if (d.available_bytes == 0) {
    const std::int64_t twice = 2 * d.tensor_parallel;
    all.push_back({fmt::format("--tensor-parallel-size {}", twice), "twice the GPUs",
                   [twice](Deployment& x) { x.tensor_parallel = twice; }});
  }
  return all;
}

}  // namespace

std::vector<FlagGain> flag_gains(const ModelDescription& model, const ModelDescription* draft,
                                 const GpuMemory& gpu, const Sizing& sizing) {
  std::vector<FlagGain> gains;
  for (const Candidate& candidate : candidates(model, sizing.deployment)) {
    Deployment changed = sizing.deployment;
    candidate.change(changed);
    try {
      const Sizing other = size_unchecked(model, draft, gpu, changed);
      const std::int64_t gain = other.pool.tokens - sizing.pool.tokens;
      if (gain > 0) gains.push_back({candidate.flag, other.pool.tokens, gain, candidate.price});
    } catch (const CaseFailed&) {
      continue;  // this model cannot have that flag
    }
  }
  std::stable_sort(gains.begin(), gains.end(),
                   [](const FlagGain& a, const FlagGain& b) { return a.gain > b.gain; });
  return gains;
}

}  // namespace hpclab::kvcache
