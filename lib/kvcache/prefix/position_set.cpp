// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/position_set.hpp"

#include <bit>

namespace hpclab::kvcache::prefix {

PositionSet::PositionSet(std::uint64_t bound) {
  do {
    bound = bound / 64 + 1;
    levels_.emplace_back(bound, 0);
  } while (bound > 1);
}

void PositionSet::insert(std::uint64_t position) {
  ++size_;
  for (auto& level : levels_) {
    std::uint64_t& word = level[position / 64];
    const bool was_empty = word == 0;
    word |= std::uint64_t{1} << (position % 64);
    if (!was_empty) return;
    position /= 64;
  }
}

void PositionSet::erase(std::uint64_t position) {
  --size_;
  for (auto& level : levels_) {
    std::uint64_t& word = level[position / 64];
    word &= ~(std::uint64_t{1} << (position % 64));
    if (word != 0) return;
    position /= 64;
  }
}

std::uint64_t PositionSet::largest() const {
  std::uint64_t position = 0;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    position =
        position * 64 + static_cast<std::uint64_t>(63 - std::countl_zero((*level)[position]));
  }
  return position;
}

}  // namespace hpclab::kvcache::prefix
