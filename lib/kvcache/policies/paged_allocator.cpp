// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/policies/paged_allocator.hpp"

#include <algorithm>
#include <utility>

namespace hpclab::kvcache::policies {
namespace {

std::uint64_t blocks_for(std::uint64_t tokens, std::uint64_t block) {
  return (tokens + block - 1) / block;
}

}  // namespace

std::uint64_t shared_request_blocks(std::uint64_t prompt_tokens, std::uint64_t tokens,
                                    std::uint64_t samples, std::uint64_t block) {
  if (tokens <= prompt_tokens) return blocks_for(tokens, block);
  const std::uint64_t shared = prompt_tokens / block;
  return shared + samples * (blocks_for(tokens, block) - shared);
}

PagedAllocator::PagedAllocator(std::uint64_t pool_slots, std::uint64_t block, bool share)
    : KvAllocator(pool_slots), block_(block), share_(share), free_blocks_(pool_slots / block) {}

std::uint64_t PagedAllocator::blocks_of(const Holder& holder, std::uint64_t tokens) const {
  return share_ ? shared_request_blocks(holder.prompt_tokens, tokens, holder.samples, block_)
                : holder.samples * blocks_for(tokens, block_);
}

bool PagedAllocator::take(std::uint64_t blocks) {
  if (blocks > free_blocks_) return false;
  free_blocks_ -= blocks;
  taken_slots_ += blocks * block_;
  return true;
}

bool PagedAllocator::admit(std::uint32_t handle, const SlotDemand& demand) {
  Holder holder{demand.samples, demand.prompt_tokens, demand.tokens, {}};
  std::uint64_t present = 0;
  if (share_) {
    holder.prompt_blocks.assign(demand.prompt_blocks.begin(), demand.prompt_blocks.end());
    for (const std::uint64_t id : holder.prompt_blocks) present += users_.contains(id);
  }
  if (!take(blocks_of(holder, holder.tokens) - present)) return false;
  for (const std::uint64_t id : holder.prompt_blocks) ++users_[id];
  if (handle >= holders_.size()) holders_.resize(handle + 1);
  holders_[handle] = std::move(holder);
  return true;
}

bool PagedAllocator::grow(std::uint32_t handle) {
  Holder& holder = holders_[handle];
  if (!take(blocks_of(holder, holder.tokens + 1) - blocks_of(holder, holder.tokens))) return false;
  ++holder.tokens;
  return true;
}

void PagedAllocator::release(std::uint32_t handle) {
  Holder& holder = holders_[handle];
  std::uint64_t blocks = blocks_of(holder, holder.tokens);
  for (const std::uint64_t id : holder.prompt_blocks) {
    const auto users = users_.find(id);
    if (--users->second == 0) {
      users_.erase(users);
    } else {
      --blocks;  // somebody else still has this one
    }
  }
  free_blocks_ += blocks;
  taken_slots_ -= blocks * block_;
  holder = {};
}

SlotUse PagedAllocator::use(std::uint32_t handle) const {
  const Holder& holder = holders_[handle];
  SlotUse use{blocks_of(holder, holder.tokens) * block_, holder.samples * holder.tokens};
  if (share_) {
    const std::uint64_t shared = holder.tokens <= holder.prompt_tokens
                                     ? holder.tokens
                                     : holder.prompt_tokens / block_ * block_;
    use.tokens = shared + holder.samples * (holder.tokens - shared);
  }
  return use;
}

}  // namespace hpclab::kvcache::policies
