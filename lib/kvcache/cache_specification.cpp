// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/cache_specification.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

std::int64_t divided(std::int64_t value, std::int64_t ranks, const char* what) {
  if (value % ranks != 0) {
    throw CaseFailed(fmt::format("{} {} cannot be split over tp = {}", value, what, ranks));
  }
  return value / ranks;
}

void add_attention(LayerCache& cache, const Attention& attention, const CacheOptions& options) {
  divided(attention.query_heads, options.tensor_parallel, "query heads");
  cache.kv_heads = kv_heads_of_rank(attention.kv_heads, options.tensor_parallel);
  cache.window = attention.window;
  cache.bytes_per_token = cache.kv_heads * (row_bytes(options.key_format, attention.key_dim) +
                                            row_bytes(options.value_format, attention.value_dim));
}

// The latent row is one for all heads, so that every rank keeps all of it.
void add_latent(LayerCache& cache, const LatentAttention& latent, const CacheOptions& options) {
  divided(latent.query_heads, options.tensor_parallel, "query heads");
  cache.kv_heads = 1;
  cache.bytes_per_token = row_bytes(options.key_format, latent.latent_rank + latent.rope_dim);
  if (options.indexer && latent.indexer_dim > 0) {
    cache.indexer_bytes_per_token = indexer_row_bytes(latent.indexer_dim);
  }
}

// Heads are split over the ranks; a group that several heads share is held by each of their ranks.
void add_recurrence(LayerCache& cache, const Recurrence& whole, const CacheOptions& options) {
  Recurrence part = whole;
  part.heads = divided(whole.heads, options.tensor_parallel, "recurrent heads");
  if (whole.groups > 0) {
    part.groups =
        whole.groups % options.tensor_parallel == 0 ? whole.groups / options.tensor_parallel : 1;
  }
  const auto matrix = options.recurrent_format.value_or(whole.matrix_format);
  const auto convolution = options.recurrent_format.value_or(whole.convolution_format);
  cache.matrix_bytes = row_bytes(matrix, part.matrix_elements());
  cache.convolution_bytes = row_bytes(convolution, part.convolution_elements());
  cache.state_bytes = cache.matrix_bytes + cache.convolution_bytes;
}

}  // namespace

std::int64_t kv_heads_of_rank(std::int64_t kv_heads, std::int64_t ranks) {
  if (kv_heads % ranks == 0) return kv_heads / ranks;
  if (ranks % kv_heads == 0) return 1;
  throw CaseFailed(
      fmt::format("{} key and value heads cannot be split over tp = {}, nor can that "
                  "many ranks hold copies of them",
                  kv_heads, ranks));
}

std::int64_t indexer_row_bytes(std::int64_t dim) {
  return dim + (dim + 127) / 128 * 4;
}

CacheSpecification cache_specification(const std::vector<Layer>& layers,
                                       const CacheOptions& options) {
  CacheSpecification specification;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    LayerCache cache;
    cache.layer = static_cast<std::int64_t>(i);
    cache.mixer = layer.mixer;
    if (!layer.shares_cache_of) {
      switch (layer.mixer) {
        case Mixer::full_attention:
        case Mixer::sliding_window:
        case Mixer::chunked_local:
          add_attention(cache, layer.attention, options);
          specification.copies = std::max(
              specification.copies,
              options.tensor_parallel / std::max<std::int64_t>(1, layer.attention.kv_heads));
          specification.layers.push_back(cache);
          break;
        case Mixer::latent_attention:
          add_latent(cache, layer.latent, options);
          specification.copies = options.tensor_parallel;
          specification.layers.push_back(cache);
          break;
        case Mixer::recurrent_state:
          add_recurrence(cache, layer.recurrence, options);
          specification.layers.push_back(cache);
          break;
        case Mixer::none:
          break;
      }
    }
    if (layer.also_recurrent) {
      LayerCache beside;
      beside.layer = cache.layer;
      beside.mixer = Mixer::recurrent_state;
      add_recurrence(beside, layer.recurrence, options);
      specification.layers.push_back(beside);
    }
  }
  return specification;
}

CacheSpecification cache_specification(const ModelDescription& model, const CacheOptions& options) {
  return cache_specification(model.layers, options);
}

std::int64_t CacheSpecification::bytes_per_token() const {
  std::int64_t sum = 0;
  for (const LayerCache& layer : layers) {
    if (layer.mixer == Mixer::full_attention || layer.mixer == Mixer::latent_attention) {
      sum += layer.bytes_per_token + layer.indexer_bytes_per_token;
    }
  }
  return sum;
}

std::int64_t CacheSpecification::state_bytes() const {
  std::int64_t sum = 0;
  for (const LayerCache& layer : layers) sum += layer.state_bytes;
  return sum;
}

std::int64_t CacheSpecification::sequence_bytes(std::int64_t tokens) const {
  std::int64_t sum = 0;
  for (const LayerCache& layer : layers) {
    const std::int64_t kept = layer.window > 0 ? std::min(tokens, layer.window) : tokens;
    sum += kept * (layer.bytes_per_token + layer.indexer_bytes_per_token) + layer.state_bytes;
  }
  return sum;
}

}  // namespace hpclab::kvcache
