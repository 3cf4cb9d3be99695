// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/lru_stack.hpp"

#include <algorithm>

namespace hpclab::kvcache::prefix {
namespace {

constexpr std::size_t fewest_slots = 4096;

// A block between look-up and first touch stands in the table without a slot.
constexpr std::uint32_t untouched = BlockTable::none - 1;

}  // namespace

// Slots in use are twice the blocks at most, when they are numbered anew; requests need some more.
// The array is as long as it will ever be from the beginning: what is not used is no memory.
LruStack::LruStack(std::size_t most_blocks)
    : most_blocks_(most_blocks), place_(fewest_slots + 3 * most_blocks), order_(fewest_slots) {}

std::span<const std::uint32_t> LruStack::access(std::span<const std::uint64_t> blocks) {
  make_room(blocks.size());
  expect(blocks);
  places_.clear();
  distances_.clear();
  bool leading = true;
  std::uint32_t previous_slot = untouched;
  for (const std::uint64_t block : blocks) {
    const std::size_t place = table_.probe(block);
    const std::uint32_t slot = table_.number(place);
    if (slot == BlockTable::none) table_.insert(place, block, untouched);
    leading = leading && slot < untouched;
    if (leading) {
      // Blocks touched right after one another lie one apart.
      const bool neighbour = slot + 1 == previous_slot;
      distances_.push_back(neighbour ? distances_.back() + 1 : order_.above(slot) + 1);
      previous_slot = slot;
    }
    places_.push_back(static_cast<std::uint32_t>(place));
  }
  touch_from_the_last();
  while (table_.size() > most_blocks_) forget_oldest();
  return distances_;
}

void LruStack::touch_from_the_last() {
  const std::size_t begin = next_slot_;
  left_.clear();
  for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
    const std::uint32_t slot = table_.number(*place);
    if (slot >= begin && slot != untouched) {
      left_.push_back(slot);  // the request holds this block twice
    } else if (slot != untouched) {
      order_.erase(slot);
    }
    table_.set_number(*place, static_cast<std::uint32_t>(next_slot_));
    place_[next_slot_++] = *place;
  }
  order_.insert_range(begin, next_slot_);
  for (const std::size_t slot : left_) order_.erase(slot);
}

void LruStack::make_room(std::size_t blocks) {
  table_.reserve(blocks, [this](std::uint32_t slot, std::size_t place) {
    place_[slot] = static_cast<std::uint32_t>(place);
  });
  if (next_slot_ + blocks > order_.slots()) renumber(blocks);
}

// Closes the gaps that touched blocks left behind. At least half of the slots are free afterwards,
// so that each touch pays for moving one block at most.
void LruStack::renumber(std::size_t room) {
  std::size_t used = 0;
  for (std::size_t slot = order_.first_from(oldest_); slot < next_slot_;
       slot = order_.first_from(slot + 1)) {
    place_[used++] = place_[slot];
  }
  constexpr std::size_t ahead = 16;
  for (std::size_t slot = 0; slot < used; ++slot) {
    if (slot + ahead < used) table_.prefetch_place(place_[slot + ahead]);
    table_.set_number(place_[slot], static_cast<std::uint32_t>(slot));
  }
  const std::size_t wanted = std::max(fewest_slots, 2 * used + room);
  order_.reset_to_first(used, wanted <= order_.slots() ? order_.slots() : wanted + wanted / 2);
  if (order_.slots() > place_.size()) place_.grow(order_.slots());
  next_slot_ = used;
  oldest_ = 0;
}

void LruStack::forget_oldest() {
  oldest_ = order_.first_from(oldest_);
  order_.erase(oldest_);
  table_.erase(place_[oldest_], [this](std::uint32_t slot, std::size_t place) {
    place_[slot] = static_cast<std::uint32_t>(place);
  });
  forgotten_ = true;
}

}  // namespace hpclab::kvcache::prefix
