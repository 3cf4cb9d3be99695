// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Caches of one capacity, by what they evict. All serve whole requests in the same way: count the
// leading blocks that are cached, touch all blocks from the last to the first, then evict down to
// the capacity.
#pragma once

#include "kvcache/prefix/block_table.hpp"
#include "kvcache/requests/request_cutter.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace hpclab::kvcache::prefix {

using requests::CacheableRequest;

class BlockCache {
 public:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

  virtual ~BlockCache() = default;
  /// How many of the request's leading blocks were cached when it came; then they all are, as far
  /// as the capacity goes.
  virtual std::uint64_t serve(const CacheableRequest& request) = 0;
  /// Blocks cached now.
  virtual std::uint64_t size() const = 0;
};

/// Least recently used, optionally forgetting what was not touched for `idle_s` seconds of the
/// trace's clock. Arrival times must not go back; what they say earlier counts as now.
class LruCache : public BlockCache {
 public:
  explicit LruCache(std::uint64_t capacity,
                    double idle_s = std::numeric_limits<double>::infinity());
  std::uint64_t serve(const CacheableRequest& request) override;
  std::uint64_t size() const override { return table_.size(); }

 private:
  static constexpr std::uint32_t nil = BlockTable::none;
  struct Node {
    std::uint64_t id;
    double touched_s;
    std::uint32_t older;
    std::uint32_t newer;
  };
  void unlink(std::uint32_t node);
  void link_newest(std::uint32_t node);
  void evict_oldest();

  std::uint64_t capacity_;
  double idle_s_;
  double now_s_ = -std::numeric_limits<double>::infinity();
  BlockTable table_;  // id -> node
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;
  std::uint32_t oldest_ = nil;
  std::uint32_t newest_ = nil;
};

/// First in, first out: a touch of a cached block changes nothing.
class FifoCache : public BlockCache {
 public:
  explicit FifoCache(std::uint64_t capacity) : capacity_(capacity) {}
  std::uint64_t serve(const CacheableRequest& request) override;
  std::uint64_t size() const override { return table_.size(); }

 private:
  std::uint64_t capacity_;
  BlockTable table_;                  // membership
  std::vector<std::uint64_t> queue_;  // ids from the oldest, at first_, to the newest
  std::size_t first_ = 0;
};

/// Least frequently used: the fewest touches since the block came in; among those the one whose
/// last touch is oldest. An evicted block's count is lost. O(1) a touch.
class LfuCache : public BlockCache {
 public:
  explicit LfuCache(std::uint64_t capacity) : capacity_(capacity) {}
  std::uint64_t serve(const CacheableRequest& request) override;
  std::uint64_t size() const override { return table_.size(); }

 private:
  static constexpr std::uint32_t nil = BlockTable::none;
  struct Node {
    std::uint64_t id;
    std::uint32_t count;
    std::uint32_t older;
    std::uint32_t newer;
  };
  struct Bucket {
    std::uint32_t oldest = nil;
    std::uint32_t newest = nil;
  };
  void unlink(std::uint32_t node);
  void link(std::uint32_t node);
  void evict();

  std::uint64_t capacity_;
  BlockTable table_;  // id -> node
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;
  std::vector<Bucket> buckets_;  // by count; in each, blocks in the order of their last touch
  std::size_t fewest_ = 1;       // no block has a smaller count
};

}  // namespace hpclab::kvcache::prefix
