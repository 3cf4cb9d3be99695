// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What one rank keeps in memory for a sequence, layer by layer: bytes a token, or bytes a sequence
// for layers whose state has a fixed size. Engines differ in how they make pools of it
// (vllm_pool.hpp and its siblings), not in this.
#pragma once

#include "kvcache/element_format.hpp"
#include "kvcache/model_description.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpclab::kvcache {

struct CacheOptions {
  ElementFormat key_format = ElementFormat::bf16;
  ElementFormat value_format = ElementFormat::bf16;
  std::int64_t tensor_parallel = 1;
  /// Elements of the indexer's rows: fp8 with a scale every 128, unless stated otherwise.
  bool indexer = true;
  /// Formats of recurrent states; the model's own when not stated (llama.cpp: fp32).
  std::optional<ElementFormat> recurrent_format;
};

struct LayerCache {
  std::int64_t layer = 0;
  Mixer mixer = Mixer::full_attention;
  std::int64_t window = 0;           ///< tokens kept, for sliding_window and chunked_local
  std::int64_t bytes_per_token = 0;  ///< key, value or latent rows of this rank
  std::int64_t indexer_bytes_per_token = 0;
  std::int64_t state_bytes = 0;  ///< of one sequence
  std::int64_t kv_heads = 0;     ///< on this rank
  std::int64_t convolution_bytes = 0;
  std::int64_t matrix_bytes = 0;
};

struct CacheSpecification {
  std::vector<LayerCache> layers;  ///< layers with a cache of their own, in model order

  /// Bytes that one more token of a long sequence costs: layers that keep every token.
  std::int64_t bytes_per_token() const;
  /// Bytes of a sequence of `tokens` tokens: windows are full at most, states are counted once.
  std::int64_t sequence_bytes(std::int64_t tokens) const;
  std::int64_t state_bytes() const;
  /// Ranks that hold the same key and value heads; 1 when each head is on one rank.
  std::int64_t copies = 1;
};

/// Key and value heads on one rank: kv_heads / ranks, or one that several ranks hold alike.
/// CaseFailed when neither number divides the other.
std::int64_t kv_heads_of_rank(std::int64_t kv_heads, std::int64_t ranks);

/// CaseFailed when the ranks do not divide the model's heads, or a format does not fit its rows.
CacheSpecification cache_specification(const ModelDescription& model, const CacheOptions& options);
/// The same for some layers only (one pipeline stage, a drafter).
CacheSpecification cache_specification(const std::vector<Layer>& layers,
                                       const CacheOptions& options);

/// Bytes a token of the sparse attention's indexer: fp8 elements and one fp32 scale every 128.
std::int64_t indexer_row_bytes(std::int64_t dim);

}  // namespace hpclab::kvcache
