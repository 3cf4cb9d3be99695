// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/lru_stack.hpp"

#include "kvcache/prefix/hit_curve.hpp"
#include "support/catch.hpp"
#include "unit/kvcache/prefix/naive_caches.hpp"

#include <list>

using namespace hpclab::kvcache::prefix;

namespace {

// The stack itself: a list, newest first.
class NaiveStack {
 public:
  explicit NaiveStack(std::size_t most) : most_(most) {}

  std::vector<std::uint32_t> access(const Blocks& blocks) {
    std::vector<std::uint32_t> distances;
    for (const std::uint64_t block : blocks) {
      const auto found = std::find(stack_.begin(), stack_.end(), block);
      if (found == stack_.end()) break;
      distances.push_back(static_cast<std::uint32_t>(found - stack_.begin()) + 1);
    }
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      std::erase(stack_, *block);
      stack_.insert(stack_.begin(), *block);
    }
    if (stack_.size() > most_) stack_.resize(most_);
    return distances;
  }

 private:
  std::size_t most_;
  std::vector<std::uint64_t> stack_;
};

std::vector<std::uint32_t> copy_of(std::span<const std::uint32_t> values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("lru stack: are its distances those of a list that is searched?") {
  LruStack stack(1 << 20);
  NaiveStack naive(1 << 20);
  for (const Blocks& blocks : hard_requests(6000, 700, 3)) {  // renumbers its slots several times
    REQUIRE(copy_of(stack.access(blocks)) == naive.access(blocks));
  }
  CHECK_FALSE(stack.has_forgotten());
}

TEST_CASE("lru stack: does it forget the blocks touched longest ago, and only those?") {
  LruStack stack(100);
  NaiveStack naive(100);
  for (const Blocks& blocks : hard_requests(6000, 1000, 5)) {
    REQUIRE(copy_of(stack.access(blocks)) == naive.access(blocks));
    REQUIRE(stack.size() <= 100);
  }
  CHECK(stack.has_forgotten());
}

TEST_CASE("lru stack: are the distances of a repeated request 1 to n, the first block on top?") {
  LruStack stack(1000);
  const Blocks blocks{5, 6, 7, 8};
  CHECK(stack.access(blocks).empty());
  CHECK(copy_of(stack.access(blocks)) == std::vector<std::uint32_t>{1, 2, 3, 4});
}

TEST_CASE("hit curve: does it equal a cache of each capacity, for blocks, tokens and requests?") {
  const auto requests = hard_requests(800, 120, 11);
  LruStack stack(1 << 20);
  HitCurve curve;
  for (const Blocks& blocks : requests) {
    curve.add(request_of(blocks, 16, blocks.size() % 16), stack.access(blocks));
  }
  curve.finish();
  for (std::uint64_t capacity = 0; capacity <= 130; ++capacity) {
    NaiveCache cache(capacity, NaiveCache::Policy::lru);
    HitCount hits;
    Demand demand;
    for (const Blocks& blocks : requests) {
      const CacheableRequest request = request_of(blocks, 16, blocks.size() % 16);
      demand.add(request);
      hits.add(request, cache.serve(request));
    }
    const HitCount found = curve.at(capacity);
    REQUIRE(found.blocks == hits.blocks);
    REQUIRE(found.tokens == hits.tokens);
    REQUIRE(found.request_shares == Catch::Approx(hits.request_shares).epsilon(1e-12));
    REQUIRE(curve.demand().tokens == demand.tokens);
  }
  CHECK(curve.at(curve.largest_distance()).blocks == curve.unlimited().blocks);
  CHECK(curve.at(curve.largest_distance() - 1).blocks < curve.unlimited().blocks);
}

TEST_CASE("hit curve: beyond the exact capacities, is a count exact at the end of its step?") {
  HitCurve curve;
  const Blocks blocks{1};
  std::vector<std::uint32_t> distances;
  std::minstd_rand chance(2);
  for (int i = 0; i < 2000; ++i) {
    distances.push_back(static_cast<std::uint32_t>(chance() % 2'000'000'000u));
    curve.add(request_of(blocks), std::span(&distances.back(), 1));
  }
  curve.finish();
  std::sort(distances.begin(), distances.end());
  for (double share : {0.1, 0.5, 0.9}) {
    const std::uint64_t capacity = curve.capacity_of_share(share);
    const auto exact = std::upper_bound(distances.begin(), distances.end(), capacity);
    CHECK(curve.at(capacity).blocks == static_cast<std::uint64_t>(exact - distances.begin()));
    CHECK(static_cast<double>(curve.at(capacity).blocks) >= share * 2000);
    // The smallest such capacity, up to the width of a step.
    CHECK(static_cast<double>(distances[static_cast<std::size_t>(share * 2000) - 1]) >=
          static_cast<double>(capacity) * (1 - 1.0 / 2048));
  }
}

TEST_CASE("hit curve: is the knee where ten times the capacity stops to gain?") {
  // One block hits at each of the capacities 1 to 1000: the ratio rises by 1/1000 a block.
  HitCurve curve;
  const Blocks blocks{1};
  for (std::uint32_t distance = 1; distance <= 1000; ++distance) {
    curve.add(request_of(blocks), std::span(&distance, 1));
  }
  curve.finish();
  // From C on, 10 C gains min(9 C, 1000 - C) / 1000: at most 3 % from C = 970 on.
  CHECK(knee_of(curve, 0.03) == 970);
  CHECK(knee_of(curve, 0.5) == 500);
  CHECK(knee_of(curve, 1) == 1);
}
