// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/optimal_cache.hpp"

#include "core/error.hpp"

#include <utility>

namespace hpclab::kvcache::prefix {

void NextUses::add(const CacheableRequest& request) {
  last_.reserve(request.blocks.size(), [](std::uint32_t, std::size_t) {});
  for (const std::uint64_t id : request.blocks) {
    const auto position = static_cast<std::uint32_t>(next_.size());
    if (position == never - 1) {
      throw CaseFailed(
          "policy=opt keeps all touches in memory and numbers them with 32 bits: the "
          "trace has more than 4.29e9 of them");
    }
    const std::size_t place = last_.probe(id);
    if (last_.number(place) == never) {
      last_.insert(place, id, position);
    } else {
      next_[last_.number(place)] = position;
      last_.set_number(place, position);
    }
    next_.push_back(never);
  }
}

void NextUses::finish(bool keep) {
  last_ = BlockTable();
  if (keep) {
    next_.shrink_to_fit();
  } else {
    next_ = {};
  }
}

OptimalCache::OptimalCache(std::uint64_t capacity, std::shared_ptr<const NextUses> future)
    : capacity_(capacity), future_(std::move(future)), awaited_(future_->touches()) {}

std::uint64_t OptimalCache::serve(const CacheableRequest& request) {
  std::uint64_t found = 0;
  bool leading = true;
  for (std::size_t i = 0; i < request.blocks.size(); ++i, ++position_) {
    const bool cached = awaited_.contains(position_);
    leading = leading && cached;
    found += leading;
    if (cached) awaited_.erase(position_);
    const std::uint32_t next = future_->next(position_);
    if (next == NextUses::never) {
      ++useless_;
    } else {
      awaited_.insert(next);
    }
    if (size() <= capacity_) continue;
    if (useless_ > 0) {
      --useless_;
    } else {
      awaited_.erase(awaited_.largest());
    }
  }
  return found;
}

}  // namespace hpclab::kvcache::prefix
