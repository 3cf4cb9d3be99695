// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The policies once more, as slowly and plainly as they can be said: what the fast ones are
// compared with.
#pragma once

#include "kvcache/prefix/block_cache.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <random>
#include <vector>

namespace hpclab::kvcache::prefix {

using Blocks = std::vector<std::uint64_t>;

inline CacheableRequest request_of(const Blocks& blocks, std::uint64_t block_tokens = 1,
                                   std::uint64_t missing_tokens = 0, double time_s = 0) {
  CacheableRequest request;
  request.blocks = blocks;
  request.block_tokens = block_tokens;
  request.input_tokens = blocks.size() * block_tokens - missing_tokens;
  request.most_hit_blocks = blocks.size();
  request.most_hit_tokens = request.input_tokens;
  request.time_s = time_s;
  return request;
}

/// Requests over few blocks that share prefixes, overlap in the middle, and repeat blocks in
/// themselves: harder on a cache than real ones.
inline std::vector<Blocks> hard_requests(std::size_t count, std::uint64_t universe, unsigned seed) {
  std::minstd_rand chance(seed);
  std::vector<Blocks> requests;
  for (std::size_t i = 0; i < count; ++i) {
    Blocks blocks;
    if (!requests.empty() && chance() % 3 != 0) {
      const Blocks& earlier =
          requests[requests.size() - 1 - chance() % std::min<std::size_t>(requests.size(), 20)];
      blocks.assign(earlier.begin(),
                    earlier.begin() + static_cast<std::ptrdiff_t>(chance() % (earlier.size() + 1)));
    }
    for (std::size_t more = chance() % 12 + (blocks.empty() ? 1 : 0); more > 0; --more) {
      blocks.push_back(chance() % universe);
    }
    requests.push_back(std::move(blocks));
  }
  return requests;
}

/// A list of cached blocks in the order of their eviction, sorted anew before each.
class NaiveCache {
 public:
  enum class Policy { lru, lfu, fifo };

  NaiveCache(std::uint64_t capacity, Policy policy,
             double idle_s = std::numeric_limits<double>::infinity())
      : capacity_(capacity), policy_(policy), idle_s_(idle_s) {}

  std::uint64_t serve(const CacheableRequest& request) {
    std::erase_if(cached_, [&](const Entry& e) { return e.touched_s < request.time_s - idle_s_; });
    std::uint64_t found = 0;
    while (found < request.blocks.size() && find(request.blocks[found]) != cached_.end()) ++found;
    for (std::size_t i = request.blocks.size(); i-- > 0;) {
      auto entry = find(request.blocks[i]);
      if (entry == cached_.end()) {
        cached_.push_back({request.blocks[i], 0, 0, clock_, 0});
        entry = std::prev(cached_.end());
      }
      entry->touched = ++clock_;
      entry->touched_s = request.time_s;
      ++entry->count;
    }
    while (cached_.size() > capacity_) {
      cached_.erase(
          std::min_element(cached_.begin(), cached_.end(),
                           [&](const Entry& a, const Entry& b) { return rank(a) < rank(b); }));
    }
    return found;
  }
  std::uint64_t size() const { return cached_.size(); }

 private:
  struct Entry {
    std::uint64_t id;
    std::uint64_t touched;
    std::uint64_t count;
    std::uint64_t created;
    double touched_s;
  };
  std::vector<Entry>::iterator find(std::uint64_t id) {
    return std::find_if(cached_.begin(), cached_.end(), [&](const Entry& e) { return e.id == id; });
  }
  std::pair<std::uint64_t, std::uint64_t> rank(const Entry& e) const {
    if (policy_ == Policy::lfu) return {e.count, e.touched};
    return {policy_ == Policy::fifo ? e.created : e.touched, 0};
  }

  std::uint64_t capacity_;
  Policy policy_;
  double idle_s_;
  std::uint64_t clock_ = 0;
  std::vector<Entry> cached_;
};

}  // namespace hpclab::kvcache::prefix
