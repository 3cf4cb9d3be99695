// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Blocks of equal size, taken one at a time as a sequence grows (PagedAttention, Kwon et al., SOSP
// 2023), optionally shared: the samples of a request hold their prompt's blocks once, the partly
// filled last one until the first of them writes into it, and equal full prompt blocks of requests
// that run at the same time are one block.
#pragma once

#include "kvcache/policies/kv_allocator.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace hpclab::kvcache::policies {

/// Blocks of a request whose samples share the prompt and copy on write, when each of them has
/// `tokens` tokens: before the first write all samples share even the partly filled block.
std::uint64_t shared_request_blocks(std::uint64_t prompt_tokens, std::uint64_t tokens,
                                    std::uint64_t samples, std::uint64_t block);

class PagedAllocator : public KvAllocator {
 public:
  PagedAllocator(std::uint64_t pool_slots, std::uint64_t block, bool share);

  bool admit(std::uint32_t handle, const SlotDemand& demand) override;
  bool grow(std::uint32_t handle) override;
  void release(std::uint32_t handle) override;
  SlotUse use(std::uint32_t handle) const override;

 private:
  struct Holder {
    std::uint64_t samples = 0;
    std::uint64_t prompt_tokens = 0;
    std::uint64_t tokens = 0;
    std::vector<std::uint64_t> prompt_blocks;
  };

  std::uint64_t blocks_of(const Holder& holder, std::uint64_t tokens) const;
  bool take(std::uint64_t blocks);

  std::uint64_t block_;
  bool share_;
  std::uint64_t free_blocks_;
  std::vector<Holder> holders_;
  std::unordered_map<std::uint64_t, std::uint32_t> users_;  // of a prompt block's id
};

}  // namespace hpclab::kvcache::policies
