// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/policies/reserving_allocator.hpp"

#include <bit>
#include <iterator>
#include <utility>

namespace hpclab::kvcache::policies {

std::optional<RangeFinder::Range> FirstFit::take(std::uint64_t size) {
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [begin, available] = *range;
    if (available < size) continue;
    free_.erase(range);
    if (available > size) free_[begin + size] = available - size;
    return Range{begin, size};
  }
  return std::nullopt;
}

void FirstFit::give_back(const Range& range) {
  auto [begin, size] = range;
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && next->first == begin + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == begin) {
      previous->second += size;
      return;
    }
  }
  free_[begin] = size;
}

Buddies::Buddies(std::uint64_t slots) : free_(64) {
  std::uint64_t begin = 0;
  for (int order = 63; order >= 0; --order) {
    const std::uint64_t size = std::uint64_t{1} << order;
    if ((slots & size) == 0) continue;
    free_[static_cast<std::size_t>(order)].insert(begin);
    begin += size;
  }
}

std::optional<RangeFinder::Range> Buddies::take(std::uint64_t size) {
  const auto order = static_cast<std::size_t>(std::countr_zero(std::bit_ceil(size)));
  std::size_t from = order;
  while (from < free_.size() && free_[from].empty()) ++from;
  if (from == free_.size()) return std::nullopt;
  const std::uint64_t begin = *free_[from].begin();
  free_[from].erase(free_[from].begin());
  while (from > order) {
    --from;
    free_[from].insert(begin + (std::uint64_t{1} << from));
  }
  return Range{begin, std::uint64_t{1} << order};
}

void Buddies::give_back(const Range& range) {
  std::uint64_t begin = range.begin;
  auto order = static_cast<std::size_t>(std::countr_zero(range.size));
  // A buddy that does not belong to the pool, or lies in another of its rows, is never free.
  while (free_[order].erase(begin ^ (std::uint64_t{1} << order)) == 1) {
    begin &= ~(std::uint64_t{1} << order);
    ++order;
  }
  free_[order].insert(begin);
}

ReservingAllocator::ReservingAllocator(std::uint64_t pool_slots,
                                       std::unique_ptr<RangeFinder> finder)
    : KvAllocator(pool_slots), finder_(std::move(finder)) {}

bool ReservingAllocator::admit(std::uint32_t handle, const SlotDemand& demand) {
  Holder holder;
  holder.tokens = demand.tokens;
  while (holder.ranges.size() < demand.samples) {
    const auto range = finder_->take(demand.reserved);
    if (!range) break;
    holder.ranges.push_back(*range);
  }
  if (holder.ranges.size() < demand.samples) {
    for (const RangeFinder::Range& range : holder.ranges) finder_->give_back(range);
    return false;
  }
  for (const RangeFinder::Range& range : holder.ranges) taken_slots_ += range.size;
  if (handle >= holders_.size()) holders_.resize(handle + 1);
  holders_[handle] = std::move(holder);
  return true;
}

bool ReservingAllocator::grow(std::uint32_t handle) {
  ++holders_[handle].tokens;
  return true;
}

void ReservingAllocator::release(std::uint32_t handle) {
  for (const RangeFinder::Range& range : holders_[handle].ranges) {
    taken_slots_ -= range.size;
    finder_->give_back(range);
  }
  holders_[handle] = {};
}

SlotUse ReservingAllocator::use(std::uint32_t handle) const {
  const Holder& holder = holders_[handle];
  return {holder.ranges.size() * holder.ranges.front().size, holder.ranges.size() * holder.tokens};
}

}  // namespace hpclab::kvcache::policies
