// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What of a request an engine can cache, and what a hit of so many blocks is worth: the rules in
// which vLLM's hashed blocks, SGLang's radix tree and the identifiers of public traces differ.
#pragma once

#include "kvcache/requests/request.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hpclab::kvcache::requests {

enum class Semantics {
  recorded,    ///< every block of the trace counts, a partly filled last one too
  block_hash,  ///< only full blocks, chained hashes; the last token is always recomputed (vLLM)
  radix  ///< token granular, in a tree that splits anywhere; the last token recomputed (SGLang)
};

/// The request as a cache sees it. Spans are valid until the next request is prepared.
struct CacheableRequest {
  std::span<const std::uint64_t> blocks;  ///< equal ids: equal content, and equal all before it
  std::uint64_t block_tokens = 0;
  std::uint64_t input_tokens = 0;
  std::uint64_t most_hit_blocks = 0;  ///< of a request whose blocks are all cached
  std::uint64_t most_hit_tokens = 0;
  double time_s = 0;

  /// Blocks whose keys and values need not be computed when the first `found` are cached.
  std::uint64_t hit_blocks(std::uint64_t found) const {
    return found < most_hit_blocks ? found : most_hit_blocks;
  }
  /// Tokens of the first `hit` blocks; only the last block of a request may be partly filled.
  std::uint64_t tokens(std::uint64_t hit) const {
    const std::uint64_t whole = hit * block_tokens;
    return whole < most_hit_tokens ? whole : most_hit_tokens;
  }
};

/// Cuts requests into blocks of `block_tokens`. Traces of block ids allow multiples of the trace's
/// own block: ids are then combined, as an engine with larger blocks would hash them. For a radix
/// tree over token ids a block is a page, of one token unless another size is given.
class RequestCutter {
 public:
  /// `block_tokens` = 0 takes the trace's own (a page of one token, for the radix tree). CaseFailed
  /// when the trace has lengths only, or its blocks cannot be combined to that size.
  RequestCutter(const TraceFacts& facts, Semantics semantics, std::uint64_t block_tokens);

  std::uint64_t block_tokens() const { return block_tokens_; }
  /// The blocks of a request are the trace's ids themselves.
  bool keeps_ids() const { return !token_ids_ && ids_per_block_ == 1; }
  CacheableRequest cut(const Request& request);

 private:
  void combine(const std::vector<std::uint64_t>& ids);
  void hash(const Request& request);

  Semantics semantics_;
  bool token_ids_;
  std::uint64_t block_tokens_;
  std::uint64_t ids_per_block_;
  std::vector<std::uint64_t> blocks_;
};

}  // namespace hpclab::kvcache::requests
