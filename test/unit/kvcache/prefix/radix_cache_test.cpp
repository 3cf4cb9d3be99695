// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/radix_cache.hpp"

#include "support/catch.hpp"
#include "unit/kvcache/prefix/naive_caches.hpp"

using namespace hpclab::kvcache::prefix;

namespace {

std::uint64_t common_prefix(const Blocks& a, const Blocks& b) {
  const auto parted = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::uint64_t>(parted.first - a.begin());
}

}  // namespace

TEST_CASE(
    "radix tree: without limit, is a hit the longest prefix shared with any earlier request?") {
  RadixCache cache(BlockCache::unlimited, RadixCache::Order::lru);
  const auto requests = hard_requests(1500, 6, 31);  // few blocks: edges split at every depth
  for (std::size_t i = 0; i < requests.size(); ++i) {
    std::uint64_t longest = 0;
    for (std::size_t j = 0; j < i; ++j) {
      longest = std::max(longest, common_prefix(requests[i], requests[j]));
    }
    REQUIRE(cache.serve(request_of(requests[i])) == longest);
  }
}

TEST_CASE("radix tree: is an edge split where requests part, and are blocks stored once?") {
  RadixCache cache(BlockCache::unlimited, RadixCache::Order::lru);
  cache.serve(request_of(Blocks{1, 2, 3, 4}));
  CHECK(cache.nodes() == 1);
  CHECK(cache.serve(request_of(Blocks{1, 2, 5})) == 2);
  CHECK(cache.nodes() == 3);  // 1 2 above 3 4 and 5
  CHECK(cache.size() == 5);
  CHECK(cache.serve(request_of(Blocks{1})) == 1);  // splits once more, adds nothing
  CHECK(cache.size() == 5);
}

TEST_CASE("radix tree: do leaves go first, the one touched longest ago before others?") {
  RadixCache cache(6, RadixCache::Order::lru);
  cache.serve(request_of(Blocks{1, 2, 3}));
  cache.serve(request_of(Blocks{1, 2, 4}));
  cache.serve(request_of(Blocks{1, 2, 5, 6}));  // six blocks
  CHECK(cache.size() == 6);
  cache.serve(request_of(Blocks{1, 2, 3}));  // 4 is now the oldest leaf
  cache.serve(request_of(Blocks{1, 2, 7}));
  CHECK(cache.serve(request_of(Blocks{1, 2, 4})) == 2);
  CHECK(cache.serve(request_of(Blocks{1, 2, 3})) == 3);
}

TEST_CASE("radix tree: which leaf goes by frequency and by age?") {
  for (const auto order : {RadixCache::Order::lfu, RadixCache::Order::fifo}) {
    RadixCache cache(3, order);
    cache.serve(request_of(Blocks{1}));
    cache.serve(request_of(Blocks{1}));
    cache.serve(request_of(Blocks{2}));
    cache.serve(request_of(Blocks{3}));
    cache.serve(request_of(Blocks{4}));  // one of them goes
    const bool frequency = order == RadixCache::Order::lfu;
    CHECK(cache.serve(request_of(Blocks{1})) == (frequency ? 1 : 0));
  }
}

TEST_CASE("radix tree: does it stay within its capacity and its own bookkeeping under pressure?") {
  for (const auto order :
       {RadixCache::Order::lru, RadixCache::Order::lfu, RadixCache::Order::fifo}) {
    for (const std::uint64_t capacity : {1, 5, 30}) {
      RadixCache cache(capacity, order);
      std::uint64_t hits = 0;
      for (const Blocks& blocks : hard_requests(3000, 8, 37)) {
        hits += cache.serve(request_of(blocks));
        REQUIRE(cache.size() <= capacity);
        REQUIRE(cache.nodes() <= cache.size());
      }
      CHECK((hits > 0 || capacity == 1));
    }
  }
}
