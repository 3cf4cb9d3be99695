// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Rules of SGLang (model_runner_kv_cache_mixin.py).
#include "core/error.hpp"
#include "kvcache/pool.hpp"

#include <algorithm>
#include <cmath>

namespace hpclab::kvcache {
namespace {

// Slots of windowed layers for each slot of full ones (swa_full_tokens_ratio).
constexpr double window_slots = 0.8;
// Bytes of recurrent states for each byte of the rest (mamba_full_memory_ratio).
constexpr double state_share = 0.9;
// States that the radix cache keeps for each running request.
constexpr std::int64_t states_of_request = 3;

struct Sums {
  std::int64_t full = 0;  ///< bytes a token of layers that keep all tokens
  std::int64_t windowed = 0;
  std::int64_t window = 0;
  std::int64_t states = 0;
};

Sums sums_of(const CacheSpecification& cache, const Deployment& d) {
  Sums sums;
  for (const LayerCache& layer : cache.layers) {
    const std::int64_t bytes = layer.bytes_per_token + layer.indexer_bytes_per_token;
    if (layer.window > 0 && !d.full_windows) {
      sums.windowed += bytes;
      sums.window = std::max(sums.window, layer.window);
    } else {
      sums.full += bytes;
    }
    sums.states += layer.state_bytes;
  }
  return sums;
}

std::int64_t whole_pages(double tokens, std::int64_t page) {
  return static_cast<std::int64_t>(std::floor(std::max(0.0, tokens) / static_cast<double>(page))) *
         page;
}

}  // namespace

PoolSize sglang_pool(const CacheSpecification& cache, const Deployment& d, double available) {
  const Sums sums = sums_of(cache, d);
  PoolSize pool;
  pool.bytes_per_token = cache.bytes_per_token();
  pool.block_tokens = d.block_tokens;
  double rest = std::max(0.0, available);
  std::int64_t states = 0;
  if (sums.states > 0) {
    const double share = sums.full + sums.windowed > 0 ? state_share / (1 + state_share) : 1;
    states = static_cast<std::int64_t>(rest * share / static_cast<double>(sums.states));
    PoolPart part;
    part.name = "recurrent states";
    part.bytes = static_cast<double>(states * sums.states);
    pool.parts.push_back(part);
    rest -= rest * share;
  }
  if (sums.full + sums.windowed == 0) {
    pool.blocks = states;
    pool.kv_bytes = static_cast<double>(states * sums.states);
    pool.concurrency = static_cast<double>(states) / states_of_request;
    pool.longest_request = d.max_model_len;
    pool.notes.emplace_back("the cache does not grow with the request: states count requests");
    return pool;
  }
  // Windowed layers have slots of their own, in a fixed ratio to those of full layers; where all
  // layers are windowed there is one kind of slot.
  const bool hybrid = sums.windowed > 0 && sums.full > 0;
  const double ratio = hybrid ? window_slots : 1;
  const double cell = static_cast<double>(sums.full) + ratio * static_cast<double>(sums.windowed);
  pool.tokens = whole_pages(rest / cell, d.block_tokens);
  const std::int64_t windowed =
      hybrid ? whole_pages(ratio * static_cast<double>(pool.tokens), d.block_tokens) : pool.tokens;
  pool.blocks = pool.tokens / d.block_tokens;
  const double full_bytes = static_cast<double>(pool.tokens * sums.full);
  const double window_bytes = static_cast<double>(windowed * sums.windowed);
  pool.kv_bytes = full_bytes + window_bytes + static_cast<double>(states * sums.states);
  pool.unused_bytes = std::max(0.0, rest - full_bytes - window_bytes);
  if (sums.full > 0)
    pool.parts.push_back({"full attention", 0, 0, d.block_tokens, pool.tokens, 0, full_bytes});
  if (sums.windowed > 0) {
    pool.parts.push_back({"windows", 0, 0, d.block_tokens, windowed, 0, window_bytes});
  }
  const auto length = static_cast<double>(d.max_model_len);
  pool.concurrency = static_cast<double>(pool.tokens) / length;
  if (hybrid) {
    const double kept = std::min<double>(static_cast<double>(sums.window), length);
    pool.concurrency = std::min(pool.concurrency, static_cast<double>(windowed) / kept);
  }
  if (states > 0) {
    pool.concurrency = std::min(
        pool.concurrency, static_cast<double>(states) / static_cast<double>(states_of_request));
  }
  pool.longest_request = pool.tokens;
  return pool;
}

}  // namespace hpclab::kvcache
