// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Least recently used at every capacity at once: a cache of C blocks holds the C blocks touched
// last, so a block hits at every C from its stack distance on (Mattson, Gecsei, Slutz & Traiger,
// "Evaluation techniques for storage hierarchies", 1970).
#pragma once

#include "kvcache/prefix/block_table.hpp"
#include "kvcache/prefix/large_array.hpp"
#include "kvcache/prefix/slot_order.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hpclab::kvcache::prefix {

/// Requests arrive whole, as a serving engine meets them: a request looks all its blocks up before
/// it touches any, then touches them from the last to the first, so that what few requests share
/// goes before what many share. O(log n) a touch at most, O(1) where a run of blocks was touched
/// together before.
class LruStack {
 public:
  /// Remembers the `most_blocks` blocks touched last: distances beyond are unknown, memory is about
  /// 40 bytes for each of them at most.
  explicit LruStack(std::size_t most_blocks);

  /// Stack distances of the request's leading blocks that are remembered, up to the first one that
  /// is not: block i hits in caches of at least distances[i] blocks. Then touches all blocks. Valid
  /// until the next call.
  std::span<const std::uint32_t> access(std::span<const std::uint64_t> blocks);

  /// Says that a request with these blocks comes soon, so that its place in memory is on its way.
  void expect(std::span<const std::uint64_t> blocks) const {
    for (const std::uint64_t block : blocks) table_.prefetch(block);
  }

  /// Blocks remembered now: all that were ever touched unless has_forgotten().
  std::size_t size() const { return table_.size(); }
  bool has_forgotten() const { return forgotten_; }

 private:
  void make_room(std::size_t blocks);
  void renumber(std::size_t room);
  void touch_from_the_last();
  void forget_oldest();

  std::size_t most_blocks_;
  BlockTable table_;                 // id -> slot of its last touch
  LargeArray<std::uint32_t> place_;  // slot -> place in the table, of slots in use
  SlotOrder order_;                  // slots in use; larger ones were touched later
  std::size_t next_slot_ = 0;
  std::size_t oldest_ = 0;  // no slot below is in use
  bool forgotten_ = false;

  std::vector<std::uint32_t> places_;  // of the request at hand
  std::vector<std::uint32_t> distances_;
  std::vector<std::size_t> left_;  // slots of blocks that the request at hand touches again
};

}  // namespace hpclab::kvcache::prefix
