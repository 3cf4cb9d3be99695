// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/slot_order.hpp"

#include <algorithm>
#include <bit>

namespace hpclab::kvcache::prefix {

SlotOrder::SlotOrder(std::size_t slots) {
  reset_to_first(0, slots);
}

void SlotOrder::insert_range(std::size_t begin, std::size_t end) {
  members_ += static_cast<std::uint32_t>(end - begin);
  while (begin < end) {
    const std::size_t leaf = begin / leaf_bits;
    const std::size_t leaf_end = std::min(end, (leaf + 1) * leaf_bits);
    add(leaf, static_cast<std::int32_t>(leaf_end - begin));
    while (begin < leaf_end) {
      const std::size_t bit = begin % 64;
      const std::size_t count = std::min(64 - bit, leaf_end - begin);
      words_[begin / 64] |= (~std::uint64_t{0} >> (64 - count)) << bit;
      begin += count;
    }
  }
}

void SlotOrder::erase(std::size_t slot) {
  words_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  --members_;
  if (slot / leaf_bits != pending_leaf_) {
    flush();
    pending_leaf_ = slot / leaf_bits;
  }
  --pending_;
}

std::uint32_t SlotOrder::above(std::size_t slot) {
  flush();
  const std::size_t leaf = slot / leaf_bits;
  std::uint32_t up_to = 0;
  for (std::size_t i = leaf; i > 0; i &= i - 1) up_to += tree_[i];
  const std::size_t word = slot / 64;
  for (std::size_t i = leaf * (leaf_bits / 64); i < word; ++i) {
    up_to += static_cast<std::uint32_t>(std::popcount(words_[i]));
  }
  // Bits 0 to slot of the word: two shifts, because one by 64 is not defined.
  const std::uint64_t through_slot = (words_[word] << (63 - slot % 64));
  up_to += static_cast<std::uint32_t>(std::popcount(through_slot));
  return members_ - up_to;
}

std::size_t SlotOrder::first_from(std::size_t from) const {
  if (from >= slots()) return slots();
  std::size_t word = from / 64;
  std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (from % 64));
  while (bits == 0) {
    if (++word == words_.size()) return slots();
    bits = words_[word];
  }
  return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
}

void SlotOrder::reset_to_first(std::size_t count, std::size_t slots) {
  const std::size_t leaves = (slots + leaf_bits - 1) / leaf_bits;
  words_.assign(leaves * (leaf_bits / 64), 0);
  for (std::size_t i = 0; i < count / 64; ++i) words_[i] = ~std::uint64_t{0};
  if (count % 64 != 0) words_[count / 64] = (std::uint64_t{1} << (count % 64)) - 1;
  tree_.assign(leaves + 1, 0);
  for (std::size_t i = 1; i <= leaves; ++i) {
    for (std::size_t word = (i - 1) * (leaf_bits / 64); word < i * (leaf_bits / 64); ++word) {
      tree_[i] += static_cast<std::uint32_t>(std::popcount(words_[word]));
    }
  }
  for (std::size_t i = 1; i <= leaves; ++i) {
    const std::size_t parent = i + (i & (~i + 1));
    if (parent <= leaves) tree_[parent] += tree_[i];
  }
  members_ = static_cast<std::uint32_t>(count);
  pending_ = 0;
}

void SlotOrder::flush() {
  if (pending_ != 0) add(pending_leaf_, pending_);
  pending_ = 0;
}

void SlotOrder::add(std::size_t leaf, std::int32_t change) {
  for (std::size_t i = leaf + 1; i < tree_.size(); i += i & (~i + 1)) {
    tree_[i] += static_cast<std::uint32_t>(change);
  }
}

}  // namespace hpclab::kvcache::prefix
