// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Engines before paging: a sequence gets one contiguous range for as long as it may become, and
// keeps it to its end (FasterTransformer, Orca; the variants that the PagedAttention paper compares
// with: Kwon et al., "Efficient memory management for large language model serving with
// PagedAttention", SOSP 2023, section 6.1).
#pragma once

#include "kvcache/policies/kv_allocator.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace hpclab::kvcache::policies {

/// Finds ranges of a pool; which ones is what first fit and buddies differ in.
class RangeFinder {
 public:
  virtual ~RangeFinder() = default;
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  /// A free range of at least `size` slots, now taken; nothing when there is none.
  virtual std::optional<Range> take(std::uint64_t size) = 0;
  virtual void give_back(const Range& range) = 0;
};

/// The lowest free range that is large enough; neighbours that are free are one range.
class FirstFit : public RangeFinder {
 public:
  explicit FirstFit(std::uint64_t slots) { free_[0] = slots; }
  std::optional<Range> take(std::uint64_t size) override;
  void give_back(const Range& range) override;

 private:
  std::map<std::uint64_t, std::uint64_t> free_;  // begin -> size
};

/// Sizes are powers of two, each range half of the next larger one (Knowlton, "A fast storage
/// allocator", 1965). A pool that is no power of two is a row of them, largest first.
class Buddies : public RangeFinder {
 public:
  explicit Buddies(std::uint64_t slots);
  std::optional<Range> take(std::uint64_t size) override;
  void give_back(const Range& range) override;

 private:
  std::vector<std::set<std::uint64_t>> free_;  // by the logarithm of the size: begins
};

class ReservingAllocator : public KvAllocator {
 public:
  ReservingAllocator(std::uint64_t pool_slots, std::unique_ptr<RangeFinder> finder);

  bool admit(std::uint32_t handle, const SlotDemand& demand) override;
  bool grow(std::uint32_t handle) override;
  void release(std::uint32_t handle) override;
  SlotUse use(std::uint32_t handle) const override;

 private:
  struct Holder {
    std::vector<RangeFinder::Range> ranges;  // one a sequence
    std::uint64_t tokens = 0;                // of one sequence
  };

  std::unique_ptr<RangeFinder> finder_;
  std::vector<Holder> holders_;
};

}  // namespace hpclab::kvcache::policies
