// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The cache that knows the future: it evicts the block whose next use is farthest (Belady, "A study
// of replacement algorithms for virtual-storage computers", 1966). Best for hits of single blocks;
// for leading runs it is a strong reference, no proven bound.
#pragma once

#include "kvcache/prefix/block_cache.hpp"
#include "kvcache/prefix/position_set.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace hpclab::kvcache::prefix {

/// For each touch of a trace, in order, the position of the next touch of the same block.
class NextUses {
 public:
  static constexpr std::uint32_t never = BlockTable::none;

  /// The first pass: requests in the order of the trace. CaseFailed beyond 2^32 - 2 touches.
  void add(const CacheableRequest& request);
  /// Different blocks so far.
  std::uint64_t distinct() const { return last_.size(); }
  /// Ends the first pass: frees what only that needs, and the touches too unless they are kept.
  void finish(bool keep);

  std::uint64_t touches() const { return next_.size(); }
  std::uint32_t next(std::uint64_t position) const { return next_[position]; }

 private:
  std::vector<std::uint32_t> next_;
  BlockTable last_;  // id -> position of its last touch so far
};

/// The second pass, over the same requests. Blocks are touched from the first to the last and the
/// capacity holds after every touch.
class OptimalCache : public BlockCache {
 public:
  OptimalCache(std::uint64_t capacity, std::shared_ptr<const NextUses> future);
  std::uint64_t serve(const CacheableRequest& request) override;
  std::uint64_t size() const override { return awaited_.size() + useless_; }

 private:
  std::uint64_t capacity_;
  std::shared_ptr<const NextUses> future_;
  // A cached block is known by the position of its next touch: it is cached if and only if that
  // position is in the set. Blocks that never come again need no identity.
  PositionSet awaited_;
  std::uint64_t useless_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace hpclab::kvcache::prefix
