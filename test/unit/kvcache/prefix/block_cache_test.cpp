// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/block_cache.hpp"

#include "kvcache/prefix/optimal_cache.hpp"
#include "support/catch.hpp"
#include "unit/kvcache/prefix/naive_caches.hpp"

#include <memory>

using namespace hpclab::kvcache::prefix;

namespace {

template <class Cache>
void compare(NaiveCache::Policy policy, double idle_s = 1e300) {
  double time_s = 0;
  const auto requests = hard_requests(2500, 150, 17);
  for (const std::uint64_t capacity : {1, 2, 7, 40, 100, 149, 1000}) {
    const auto cache = [&] {
      if constexpr (std::is_same_v<Cache, LruCache>) {
        return std::make_unique<Cache>(capacity, idle_s);
      } else {
        return std::make_unique<Cache>(capacity);
      }
    }();
    NaiveCache naive(capacity, policy, idle_s);
    for (const Blocks& blocks : requests) {
      time_s += static_cast<double>(blocks.size() % 3);
      const CacheableRequest request = request_of(blocks, 1, 0, time_s);
      REQUIRE(cache->serve(request) == naive.serve(request));
      REQUIRE(cache->size() == naive.size());
    }
  }
}

std::uint64_t optimal_block_hits(const std::vector<Blocks>& requests, std::uint64_t capacity) {
  auto future = std::make_shared<NextUses>();
  for (const Blocks& blocks : requests) future->add(request_of(blocks));
  future->finish(true);
  OptimalCache cache(capacity, future);
  std::uint64_t hits = 0;
  for (const Blocks& blocks : requests) {
    hits += cache.serve(request_of(blocks));
    REQUIRE(cache.size() <= capacity);
  }
  return hits;
}

// The most hits that any choice of victims gives, by trying all of them; requests of one block.
std::uint64_t most_hits(const Blocks& stream, std::size_t at, std::vector<std::uint64_t> cached,
                        std::size_t capacity) {
  if (at == stream.size()) return 0;
  if (std::count(cached.begin(), cached.end(), stream[at]) > 0) {
    return 1 + most_hits(stream, at + 1, std::move(cached), capacity);
  }
  cached.push_back(stream[at]);
  if (cached.size() <= capacity) return most_hits(stream, at + 1, std::move(cached), capacity);
  std::uint64_t best = 0;
  for (std::size_t victim = 0; victim < cached.size(); ++victim) {
    auto rest = cached;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(victim));
    best = std::max(best, most_hits(stream, at + 1, std::move(rest), capacity));
  }
  return best;
}

}  // namespace

TEST_CASE("caches: does least recently used evict as the plain version does?") {
  compare<LruCache>(NaiveCache::Policy::lru);
}

TEST_CASE("caches: are blocks forgotten that were idle for longer than allowed?") {
  compare<LruCache>(NaiveCache::Policy::lru, 4);
  compare<LruCache>(NaiveCache::Policy::lru, 0);
}

TEST_CASE("caches: does least frequently used evict as the plain version does?") {
  compare<LfuCache>(NaiveCache::Policy::lfu);
}

TEST_CASE("caches: does first in first out evict as the plain version does?") {
  compare<FifoCache>(NaiveCache::Policy::fifo);
}

TEST_CASE("caches: does the optimum reach the most hits that any choice of victims gives?") {
  std::minstd_rand chance(23);
  for (int round = 0; round < 60; ++round) {
    Blocks stream;
    for (int i = 0; i < 11; ++i) stream.push_back(chance() % 5);
    std::vector<Blocks> requests;
    for (const std::uint64_t block : stream) requests.push_back({block});
    for (std::size_t capacity : {1, 2, 3}) {
      REQUIRE(optimal_block_hits(requests, capacity) == most_hits(stream, 0, {}, capacity));
    }
  }
}

TEST_CASE("caches: are hits counted up to the first block that is missing, and no further?") {
  LruCache cache(100);
  cache.serve(request_of(Blocks{1, 2, 3}));
  CHECK(cache.serve(request_of(Blocks{1, 9, 3})) == 1);
  CHECK(cache.serve(request_of(Blocks{8, 2, 3})) == 0);
}

TEST_CASE("caches: does a request larger than the cache leave its first blocks behind?") {
  LruCache cache(2);
  cache.serve(request_of(Blocks{1, 2, 3, 4}));
  CHECK(cache.serve(request_of(Blocks{1, 2, 3, 4})) == 2);
}
