// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A set of integers below a bound that answers "how many members are larger than this one?" in
// logarithmic time: one bit a member, and a Fenwick tree (Fenwick, "A new data structure for
// cumulative frequency tables", 1994) over the counts of every 512 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpclab::kvcache::prefix {

class SlotOrder {
 public:
  /// An empty set of slots below `slots`.
  explicit SlotOrder(std::size_t slots = 0);

  std::size_t slots() const { return words_.size() * 64; }

  /// The slot is in the set afterwards, or no longer. Which one it was before is the caller's
  /// business: a slot is never inserted twice, and only members are erased.
  void insert(std::size_t slot) { insert_range(slot, slot + 1); }
  void insert_range(std::size_t begin, std::size_t end);
  void erase(std::size_t slot);
  /// Members larger than `slot`, which itself may or may not be one.
  std::uint32_t above(std::size_t slot);
  /// The smallest member that is at least `from`; slots() when there is none.
  std::size_t first_from(std::size_t from) const;
  /// Makes {0, 1, ..., count - 1} the set, in place, with at least `slots` slots.
  void reset_to_first(std::size_t count, std::size_t slots);

 private:
  static constexpr std::size_t leaf_bits = 512;

  void flush();
  void add(std::size_t leaf, std::int32_t change);

  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> tree_;  // Fenwick: tree_[i] counts the leaves (i - lowbit(i), i]
  std::uint32_t members_ = 0;
  // Removals from the leaf at hand are gathered: neighbours come one after the other.
  std::size_t pending_leaf_ = 0;
  std::int32_t pending_ = 0;
};

}  // namespace hpclab::kvcache::prefix
