// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/radix_cache.hpp"

#include "kvcache/requests/block_hash.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hpclab::kvcache::prefix {
namespace {

std::uint64_t edge_key(std::uint32_t node, std::uint64_t block) {
  return requests::chained(requests::chained(requests::chain_root, node), block);
}

}  // namespace

RadixCache::RadixCache(std::uint64_t capacity, Order order)
    : capacity_(capacity), order_(order), nodes_(1) {}

std::uint64_t RadixCache::serve(const CacheableRequest& request) {
  ++now_;
  std::uint32_t node = root;
  std::size_t found = 0;
  while (found < request.blocks.size()) {
    const std::uint32_t child = child_of(node, request.blocks[found]);
    if (child == none) break;
    const std::vector<std::uint64_t>& run = nodes_[child].run;
    const std::size_t most = std::min(run.size(), request.blocks.size() - found);
    const auto parted = std::mismatch(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(most),
                                      request.blocks.begin() + static_cast<std::ptrdiff_t>(found));
    const auto same = static_cast<std::size_t>(parted.first - run.begin());
    found += same;
    node = same < run.size() ? split(child, same) : child;
    touch(node);
    if (same < most || found == request.blocks.size()) break;
  }
  if (found < request.blocks.size()) append(node, request.blocks.subspan(found));
  while (size_ > capacity_) evict_one();
  return found;
}

RadixCache::Rank RadixCache::rank_of(std::uint32_t number) const {
  const Node& node = nodes_[number];
  switch (order_) {
    case Order::lfu:
      return {node.hits, node.touched, number};
    case Order::fifo:
      return {node.created, 0, number};
    case Order::lru:
      break;
  }
  return {node.touched, 0, number};
}

std::uint32_t RadixCache::child_of(std::uint32_t node, std::uint64_t block) const {
  return edges_.number(edges_.probe(edge_key(node, block)));
}

void RadixCache::set_child(std::uint32_t node, std::uint64_t block, std::uint32_t child) {
  edges_.reserve(1, [](std::uint32_t, std::size_t) {});
  const std::size_t place = edges_.probe(edge_key(node, block));
  if (edges_.number(place) == none) {
    edges_.insert(place, edge_key(node, block), child);
  } else {
    edges_.set_number(place, child);
  }
}

std::uint32_t RadixCache::new_node() {
  if (free_.empty()) {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  nodes_[number] = Node{};
  return number;
}

// The first `at` blocks of the node's run become a node of their own above it. Returns that one.
std::uint32_t RadixCache::split(std::uint32_t lower, std::size_t at) {
  const std::uint32_t upper = new_node();
  Node& below = nodes_[lower];
  Node& above = nodes_[upper];
  const auto middle = below.run.begin() + static_cast<std::ptrdiff_t>(at);
  above.run.assign(below.run.begin(), middle);
  below.run.erase(below.run.begin(), middle);
  above.parent = std::exchange(below.parent, upper);
  above.children = 1;
  above.touched = below.touched;
  above.created = below.created;
  above.hits = below.hits;
  set_child(above.parent, above.run.front(), upper);
  set_child(upper, below.run.front(), lower);
  return upper;
}

void RadixCache::touch(std::uint32_t number) {
  Node& node = nodes_[number];
  const bool leaf = node.children == 0;
  if (leaf) leaves_.erase(rank_of(number));
  node.touched = now_;
  ++node.hits;
  if (leaf) leaves_.insert(rank_of(number));
}

void RadixCache::append(std::uint32_t parent, std::span<const std::uint64_t> blocks) {
  const std::uint32_t number = new_node();
  Node& node = nodes_[number];
  node.run.assign(blocks.begin(), blocks.end());
  node.parent = parent;
  node.touched = now_;
  node.created = now_;
  node.hits = 1;
  set_child(parent, blocks.front(), number);
  if (parent != root && nodes_[parent].children == 0) leaves_.erase(rank_of(parent));
  ++nodes_[parent].children;
  leaves_.insert(rank_of(number));
  size_ += blocks.size();
}

void RadixCache::evict_one() {
  const std::uint32_t number = std::get<2>(*leaves_.begin());
  leaves_.erase(leaves_.begin());
  Node& node = nodes_[number];
  size_ -= node.run.size();
  edges_.erase(edges_.probe(edge_key(node.parent, node.run.front())),
               [](std::uint32_t, std::size_t) {});
  const std::uint32_t parent = node.parent;
  node.run = {};
  free_.push_back(number);
  if (--nodes_[parent].children == 0 && parent != root) leaves_.insert(rank_of(parent));
}

}  // namespace hpclab::kvcache::prefix
