// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Rules of llama.cpp (llama-kv-cache.cpp, llama-kv-cache-iswa.cpp, llama-memory-recurrent.cpp):
// cells in steps of 256, one stream for all sequences or one each, windowed layers with cells of
// their own, states in fp32.
#include "core/error.hpp"
#include "kvcache/pool.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

constexpr std::int64_t cell_step = 256;

std::int64_t padded(std::int64_t cells) {
  return (cells + cell_step - 1) / cell_step * cell_step;
}

}  // namespace

PoolSize llama_cpp_pool(const CacheSpecification& cache, const Deployment& d) {
  if (d.max_sequences > d.context) {
    throw CaseFailed(fmt::format("{} sequences need at least as many cells, but context is {}",
                                 d.max_sequences, d.context));
  }
  const std::int64_t streams = d.unified_cache ? 1 : d.max_sequences;
  const std::int64_t cells = padded(d.context / streams);
  std::int64_t full_bytes = 0;
  std::int64_t window_bytes = 0;
  std::int64_t state_bytes = 0;
  std::int64_t windowed_cells = 0;
  PoolSize pool;
  std::int64_t full_layers = 0;
  std::int64_t windowed_layers = 0;
  std::int64_t recurrent_layers = 0;
  for (const LayerCache& layer : cache.layers) {
    const std::int64_t bytes = layer.bytes_per_token + layer.indexer_bytes_per_token;
    if (layer.window > 0) {
      const std::int64_t sequences = d.unified_cache ? d.max_sequences : 1;
      // A window and a batch that is being computed; never more than full layers have.
      windowed_cells =
          d.full_windows ? cells
                         : padded(std::min(cells, layer.window * sequences + d.max_batched_tokens));
      window_bytes += bytes * windowed_cells * streams;
      ++windowed_layers;
    } else if (bytes > 0) {
      full_bytes += bytes * cells * streams;
      pool.bytes_per_token += bytes;
      ++full_layers;
    }
    if (layer.state_bytes > 0) {
      state_bytes += layer.state_bytes * d.max_sequences;
      ++recurrent_layers;
    }
  }
  if (full_layers > 0) {
    pool.parts.push_back(
        {"full attention", full_layers, 0, 1, cells * streams, 0, static_cast<double>(full_bytes)});
  }
  if (windowed_layers > 0) {
    pool.parts.push_back({"windows", windowed_layers, 0, 1, windowed_cells * streams, 0,
                          static_cast<double>(window_bytes)});
  }
  if (recurrent_layers > 0) {
    pool.parts.push_back(
        {"recurrent states", recurrent_layers, 0, 0, 0, 0, static_cast<double>(state_bytes)});
  }
  pool.block_tokens = 1;
  pool.tokens = cells * streams;
  pool.blocks = pool.tokens;
  pool.kv_bytes = static_cast<double>(full_bytes + window_bytes + state_bytes);
  pool.padding_bytes = static_cast<double>(std::max<std::int64_t>(0, cells * streams - d.context) *
                                           pool.bytes_per_token);
  pool.longest_request = cells;
  pool.concurrency = static_cast<double>(d.max_sequences);
  if (cells * streams != d.context) {
    pool.notes.push_back(fmt::format("context {} became {} x {} cells: steps of {}", d.context,
                                     streams, cells, cell_step));
  }
  return pool;
}

}  // namespace hpclab::kvcache
