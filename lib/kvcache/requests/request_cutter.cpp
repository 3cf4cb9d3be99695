// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/requests/request_cutter.hpp"

#include "core/error.hpp"
#include "kvcache/requests/block_hash.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::kvcache::requests {

RequestCutter::RequestCutter(const TraceFacts& facts, Semantics semantics,
                             std::uint64_t block_tokens)
    : semantics_(semantics),
      token_ids_(facts.content == Content::token_ids),
      block_tokens_(block_tokens == 0 ? facts.block_tokens : block_tokens),
      ids_per_block_(1) {
  if (facts.content == Content::lengths) {
    throw CaseFailed(
        fmt::format("the {} trace has lengths only, so that nothing says which prefixes are equal",
                    facts.format));
  }
  if (token_ids_) {
    if (semantics == Semantics::radix && block_tokens == 0) block_tokens_ = 1;
    return;
  }
  if (block_tokens_ % facts.block_tokens != 0) {
    throw CaseFailed(
        fmt::format("block = {} is no multiple of {}, the tokens of one hash id of the trace: what "
                    "is inside an id is not known",
                    block_tokens_, facts.block_tokens));
  }
  ids_per_block_ = block_tokens_ / facts.block_tokens;
}

CacheableRequest RequestCutter::cut(const Request& request) {
  CacheableRequest cut;
  cut.block_tokens = block_tokens_;
  cut.input_tokens = request.input_tokens;
  cut.time_s = request.time_s;
  if (keeps_ids()) {
    cut.blocks = request.blocks;
  } else {
    if (token_ids_) {
      hash(request);
    } else {
      combine(request.blocks);
    }
    cut.blocks = blocks_;
  }
  const std::uint64_t before_last = request.input_tokens == 0 ? 0 : request.input_tokens - 1;
  cut.most_hit_tokens = semantics_ == Semantics::recorded ? request.input_tokens : before_last;
  if (semantics_ == Semantics::block_hash || (semantics_ == Semantics::radix && token_ids_)) {
    const std::uint64_t full = request.input_tokens / block_tokens_;
    cut.blocks = cut.blocks.first(std::min<std::size_t>(cut.blocks.size(), full));
  }
  cut.most_hit_blocks = cut.blocks.size();
  if (semantics_ == Semantics::block_hash) cut.most_hit_blocks = before_last / block_tokens_;
  return cut;
}

void RequestCutter::combine(const std::vector<std::uint64_t>& ids) {
  blocks_.clear();
  std::uint64_t chain = chain_root;
  for (std::size_t begin = 0; begin < ids.size(); begin += ids_per_block_) {
    const std::size_t count = std::min<std::size_t>(ids_per_block_, ids.size() - begin);
    for (std::size_t i = begin; i < begin + count; ++i) chain = chained(chain, ids[i]);
    blocks_.push_back(chain);
  }
}

void RequestCutter::hash(const Request& request) {
  const std::vector<std::uint32_t>& tokens = request.tokens;
  blocks_.clear();
  std::uint64_t chain = chained(chain_root, request.space);
  if (semantics_ == Semantics::radix && block_tokens_ == 1) {
    blocks_.assign(tokens.begin(), tokens.end());
    // The tree compares from the start: only the first token needs to know the space.
    if (!blocks_.empty()) blocks_.front() = chained(chain, tokens.front());
    return;
  }
  for (std::size_t begin = 0; begin < tokens.size(); begin += block_tokens_) {
    const std::size_t count = std::min<std::size_t>(block_tokens_, tokens.size() - begin);
    for (std::size_t i = begin; i < begin + count; ++i) {
      chain = chained(chain, tokens[i]);
    }
    blocks_.push_back(chained(chain, count));
  }
}

}  // namespace hpclab::kvcache::requests
