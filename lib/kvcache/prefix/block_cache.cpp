// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/block_cache.hpp"

#include <algorithm>

namespace hpclab::kvcache::prefix {
namespace {

constexpr auto no_places_kept = [](std::uint32_t, std::size_t) {};

std::uint64_t leading_cached(const BlockTable& table, const CacheableRequest& request) {
  std::uint64_t found = 0;
  for (const std::uint64_t id : request.blocks) {
    if (table.number(table.probe(id)) == BlockTable::none) break;
    ++found;
  }
  return found;
}

}  // namespace

LruCache::LruCache(std::uint64_t capacity, double idle_s) : capacity_(capacity), idle_s_(idle_s) {}

std::uint64_t LruCache::serve(const CacheableRequest& request) {
  now_s_ = std::max(now_s_, request.time_s);
  while (oldest_ != nil && nodes_[oldest_].touched_s < now_s_ - idle_s_) evict_oldest();
  const std::uint64_t found = leading_cached(table_, request);
  table_.reserve(request.blocks.size(), no_places_kept);
  for (auto id = request.blocks.rbegin(); id != request.blocks.rend(); ++id) {
    const std::size_t place = table_.probe(*id);
    std::uint32_t node = table_.number(place);
    if (node != BlockTable::none) {
      unlink(node);
    } else if (!free_.empty()) {
      node = free_.back();
      free_.pop_back();
      table_.insert(place, *id, node);
    } else {
      node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
      table_.insert(place, *id, node);
    }
    nodes_[node] = {*id, now_s_, nil, nil};
    link_newest(node);
  }
  while (size() > capacity_) evict_oldest();
  return found;
}

void LruCache::unlink(std::uint32_t node) {
  const auto [id, touched_s, older, newer] = nodes_[node];
  (older == nil ? oldest_ : nodes_[older].newer) = newer;
  (newer == nil ? newest_ : nodes_[newer].older) = older;
}

void LruCache::link_newest(std::uint32_t node) {
  nodes_[node].older = newest_;
  (newest_ == nil ? oldest_ : nodes_[newest_].newer) = node;
  newest_ = node;
}

void LruCache::evict_oldest() {
  const std::uint32_t node = oldest_;
  unlink(node);
  table_.erase(table_.probe(nodes_[node].id), no_places_kept);
  free_.push_back(node);
}

std::uint64_t FifoCache::serve(const CacheableRequest& request) {
  const std::uint64_t found = leading_cached(table_, request);
  table_.reserve(request.blocks.size(), no_places_kept);
  for (auto id = request.blocks.rbegin(); id != request.blocks.rend(); ++id) {
    const std::size_t place = table_.probe(*id);
    if (table_.number(place) != BlockTable::none) continue;
    table_.insert(place, *id, 0);
    queue_.push_back(*id);
  }
  while (size() > capacity_) table_.erase(table_.probe(queue_[first_++]), no_places_kept);
  if (first_ > queue_.size() / 2) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  return found;
}

std::uint64_t LfuCache::serve(const CacheableRequest& request) {
  const std::uint64_t found = leading_cached(table_, request);
  table_.reserve(request.blocks.size(), no_places_kept);
  for (auto id = request.blocks.rbegin(); id != request.blocks.rend(); ++id) {
    const std::size_t place = table_.probe(*id);
    std::uint32_t node = table_.number(place);
    if (node != BlockTable::none) {
      unlink(node);
      ++nodes_[node].count;
    } else {
      if (free_.empty()) {
        node = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
      } else {
        node = free_.back();
        free_.pop_back();
      }
      nodes_[node] = {*id, 1, nil, nil};
      table_.insert(place, *id, node);
      fewest_ = 1;
    }
    link(node);
  }
  while (size() > capacity_) evict();
  return found;
}

void LfuCache::unlink(std::uint32_t node) {
  const auto [id, count, older, newer] = nodes_[node];
  (older == nil ? buckets_[count].oldest : nodes_[older].newer) = newer;
  (newer == nil ? buckets_[count].newest : nodes_[newer].older) = older;
}

void LfuCache::link(std::uint32_t node) {
  const std::uint32_t count = nodes_[node].count;
  if (count >= buckets_.size()) buckets_.resize(std::max<std::size_t>(count + 1, 64));
  Bucket& bucket = buckets_[count];
  nodes_[node].older = bucket.newest;
  nodes_[node].newer = nil;
  (bucket.newest == nil ? bucket.oldest : nodes_[bucket.newest].newer) = node;
  bucket.newest = node;
}

void LfuCache::evict() {
  while (buckets_[fewest_].oldest == nil) ++fewest_;
  const std::uint32_t node = buckets_[fewest_].oldest;
  unlink(node);
  table_.erase(table_.probe(nodes_[node].id), no_places_kept);
  free_.push_back(node);
}

}  // namespace hpclab::kvcache::prefix
