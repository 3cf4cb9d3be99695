// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A radix tree of prefixes as SGLang's RadixAttention keeps it (Zheng et al., "SGLang: efficient
// execution of structured language model programs", 2024): an edge carries a run of blocks (with
// block = 1: tokens), splits where two requests part, and is evicted whole, leaves first.
#pragma once

#include "kvcache/prefix/block_cache.hpp"

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace hpclab::kvcache::prefix {

class RadixCache : public BlockCache {
 public:
  /// Which leaf goes first: the one touched least recently, least often (then least recently), or
  /// the one that came in first.
  enum class Order { lru, lfu, fifo };

  RadixCache(std::uint64_t capacity, Order order);

  std::uint64_t serve(const CacheableRequest& request) override;
  std::uint64_t size() const override { return size_; }
  /// Nodes below the root, for tests.
  std::uint64_t nodes() const { return nodes_.size() - 1 - free_.size(); }

 private:
  static constexpr std::uint32_t root = 0;
  static constexpr std::uint32_t none = BlockTable::none;

  struct Node {
    std::vector<std::uint64_t> run;  // blocks on the edge that leads here
    std::uint32_t parent = none;
    std::uint32_t children = 0;
    std::uint64_t touched = 0;  // number of the request
    std::uint64_t created = 0;
    std::uint64_t hits = 0;
  };
  using Rank = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;

  Rank rank_of(std::uint32_t node) const;
  std::uint32_t child_of(std::uint32_t node, std::uint64_t block) const;
  void set_child(std::uint32_t node, std::uint64_t block, std::uint32_t child);
  std::uint32_t new_node();
  std::uint32_t split(std::uint32_t node, std::size_t at);
  void touch(std::uint32_t node);
  void append(std::uint32_t parent, std::span<const std::uint64_t> blocks);
  void evict_one();

  std::uint64_t capacity_;
  Order order_;
  BlockTable edges_;  // (node, first block of the edge) -> child
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;
  std::set<Rank> leaves_;
  std::uint64_t size_ = 0;
  std::uint64_t now_ = 0;
};

}  // namespace hpclab::kvcache::prefix
