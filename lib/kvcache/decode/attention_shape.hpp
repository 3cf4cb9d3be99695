// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The attention of one layer at decoding: one query position a sequence, its heads, the cache that
// they read. Bytes and flops are declared here, for model, measurement and report alike.
#pragma once

#include "kvcache/decode/attention_table.hpp"
#include "kvcache/element_format.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpclab::kvcache::decode {

struct AttentionShape {
  int query_heads = 32;
  int kv_heads = 8;   ///< 1 in latent attention
  int key_dim = 128;  ///< latent: latent_rank + rope_dim
  int value_dim = 128;
  bool latent = false;  ///< the first value_dim elements of a key row are the value
  CacheFormat format = CacheFormat::bf16;
  int page_tokens = 16;  ///< a multiple of tile_tokens

  int queries_per_kv_head() const { return query_heads / kv_heads; }
  std::size_t tile_bytes() const;  ///< of one head, as the processor's kernels lay it out
  std::size_t page_bytes() const;  ///< of all heads
};

/// "GQA 32:8 x 128 bf16", "MLA 128 x 512+64 bf16".
std::string describe(const AttentionShape& shape);

/// What one decode step of the layer does. Bytes are those of the cache rows (by the formats of
/// element_format.hpp); queries, results and block tables are less than a hundredth of them and
/// left out. A multiply-add counts 2.
struct DecodeWork {
  double kv_bytes = 0;
  double flops = 0;
};
DecodeWork work_of(const AttentionShape& shape, const std::vector<std::int64_t>& lengths);

ElementFormat element_format(CacheFormat format);

/// Lengths of the sequences of a batch.
enum class Lengths {
  uniform,  ///< all alike
  ragged,   ///< random between 1 and twice the mean
  skewed    ///< one sequence holds half of all tokens
};
/// `batch` lengths of `context` tokens on average (exactly, but for rounding), each at least 1.
std::vector<std::int64_t> make_lengths(Lengths kind, std::int64_t batch, std::int64_t context,
                                       std::uint64_t seed);

}  // namespace hpclab::kvcache::decode
