// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Rules of TensorRT-LLM's KV cache manager: a fraction of what is free after loading, so that the
// order in which engines are loaded decides.
#include "kvcache/pool.hpp"

#include <algorithm>
#include <cmath>

namespace hpclab::kvcache {

PoolSize tensorrt_llm_pool(const CacheSpecification& cache, const Deployment& d,
                           double free_bytes) {
  PoolSize pool;
  std::int64_t all_layers = 0;
  bool windowed = false;
  bool states = false;
  for (const LayerCache& layer : cache.layers) {
    all_layers += layer.bytes_per_token + layer.indexer_bytes_per_token;
    windowed = windowed || layer.window > 0;
    states = states || layer.state_bytes > 0;
  }
  pool.bytes_per_token = all_layers;
  pool.block_tokens = d.block_tokens;
  const double budget = std::max(0.0, free_bytes) * d.memory_fraction;
  if (all_layers == 0) {
    pool.notes.emplace_back("the cache does not grow with the request");
    return pool;
  }
  pool.blocks = static_cast<std::int64_t>(
      std::floor(budget / static_cast<double>(all_layers * d.block_tokens)));
  pool.tokens = pool.blocks * d.block_tokens;
  pool.kv_bytes = static_cast<double>(pool.tokens * all_layers);
  pool.unused_bytes = budget - pool.kv_bytes;
  const std::int64_t request = (d.max_model_len + d.block_tokens - 1) / d.block_tokens;
  pool.concurrency = static_cast<double>(pool.blocks) / static_cast<double>(request);
  pool.longest_request = pool.tokens;
  if (windowed) pool.notes.emplace_back("windowed layers are counted like full ones");
  if (states) pool.notes.emplace_back("recurrent states are outside this pool and not counted");
  return pool;
}

}  // namespace hpclab::kvcache
