// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/policies/paged_allocator.hpp"
#include "kvcache/policies/reserving_allocator.hpp"
#include "support/catch.hpp"

#include <bit>
#include <map>
#include <memory>
#include <random>

using namespace hpclab::kvcache::policies;

namespace {

// Takes and gives back at random; ranges must never overlap nor leave the pool, and all of it must
// be one free piece again in the end.
void exercise(RangeFinder& finder, std::uint64_t slots, bool powers) {
  std::map<std::uint64_t, std::uint64_t> taken;
  std::minstd_rand chance(5);
  for (int step = 0; step < 20'000; ++step) {
    if (taken.empty() || chance() % 2 == 0) {
      const std::uint64_t size = 1 + chance() % 40;
      const auto range = finder.take(size);
      if (!range) continue;
      REQUIRE(range->size == (powers ? std::bit_ceil(size) : size));
      REQUIRE(range->begin + range->size <= slots);
      const auto next = taken.lower_bound(range->begin);
      if (next != taken.end()) REQUIRE(range->begin + range->size <= next->first);
      if (next != taken.begin())
        REQUIRE(std::prev(next)->first + std::prev(next)->second <= range->begin);
      taken[range->begin] = range->size;
    } else {
      auto victim = taken.begin();
      std::advance(victim, static_cast<std::ptrdiff_t>(chance() % taken.size()));
      finder.give_back({victim->first, victim->second});
      taken.erase(victim);
    }
  }
  for (const auto& [begin, size] : taken) finder.give_back({begin, size});
}

SlotDemand demand(std::uint64_t samples, std::uint64_t tokens, std::uint64_t reserved = 0) {
  return {samples, tokens, tokens, reserved, {}};
}

}  // namespace

TEST_CASE("allocators: does first fit give disjoint ranges and join what comes back?") {
  FirstFit finder(1000);
  exercise(finder, 1000, false);
  CHECK(finder.take(1000));
  CHECK_FALSE(finder.take(1));
}

TEST_CASE("allocators: do buddies give disjoint powers of two and join what comes back?") {
  for (const std::uint64_t slots : {1024u, 1000u, 1u}) {
    Buddies finder(slots);
    exercise(finder, slots, true);
    CHECK(finder.take(std::bit_floor(slots)));
    CHECK_FALSE(finder.take(std::bit_floor(slots)));
  }
}

TEST_CASE("allocators: does first fit take the lowest range that is large enough?") {
  FirstFit finder(100);
  const auto a = finder.take(30), b = finder.take(10), c = finder.take(60);
  REQUIRE((a && b && c));
  finder.give_back(*a);
  finder.give_back(*c);
  CHECK(finder.take(40)->begin == 40);  // 0 to 30 is too small
  CHECK(finder.take(25)->begin == 0);
}

TEST_CASE("allocators: does a request that fits only partly leave nothing behind?") {
  ReservingAllocator allocator(100, std::make_unique<FirstFit>(100));
  CHECK_FALSE(allocator.admit(0, demand(3, 10, 40)));
  CHECK(allocator.taken_slots() == 0);
  CHECK(allocator.admit(0, demand(2, 10, 40)));
  CHECK(allocator.taken_slots() == 80);
  CHECK(allocator.use(0).slots == 80);
  CHECK(allocator.use(0).tokens == 20);
  CHECK(allocator.grow(0));
  CHECK(allocator.use(0).tokens == 22);
  allocator.release(0);
  CHECK(allocator.taken_slots() == 0);
}

TEST_CASE("allocators: does a paged sequence take a block when its last one is full?") {
  PagedAllocator allocator(64, 16, false);
  CHECK(allocator.admit(0, demand(1, 16)));
  CHECK(allocator.use(0).slots == 16);
  CHECK(allocator.grow(0));
  CHECK(allocator.use(0).slots == 32);
  CHECK(allocator.admit(1, demand(2, 1)));
  CHECK(allocator.taken_slots() == 64);
  for (int i = 0; i < 15; ++i) CHECK(allocator.grow(0));
  CHECK_FALSE(allocator.grow(0));
  CHECK(allocator.use(0).tokens == 32);
  allocator.release(1);
  CHECK(allocator.grow(0));
}

TEST_CASE("allocators: is a pool that is no multiple of the block never overdrawn?") {
  PagedAllocator allocator(40, 16, false);
  CHECK_FALSE(allocator.admit(0, demand(1, 33)));
  CHECK(allocator.admit(0, demand(1, 32)));
  CHECK_FALSE(allocator.grow(0));
}

TEST_CASE("allocators: is the partly filled block of a prompt copied when samples write into it?") {
  // 20 tokens in blocks of 16: two blocks for all four samples, then each needs its own second one.
  CHECK(shared_request_blocks(20, 20, 4, 16) == 2);
  CHECK(shared_request_blocks(20, 21, 4, 16) == 1 + 4);
  CHECK(shared_request_blocks(20, 33, 4, 16) == 1 + 8);
  // A prompt that fills its blocks has nothing to copy.
  CHECK(shared_request_blocks(32, 32, 4, 16) == 2);
  CHECK(shared_request_blocks(32, 33, 4, 16) == 2 + 4);
  CHECK(shared_request_blocks(20, 40, 1, 16) == 3);

  PagedAllocator allocator(16 * 5, 16, true);
  CHECK(allocator.admit(0, demand(4, 20)));
  CHECK(allocator.use(0).slots == 32);
  CHECK(allocator.use(0).tokens == 20);
  CHECK(allocator.grow(0));  // copies for three, the fourth keeps the old one
  CHECK(allocator.taken_slots() == 80);
  CHECK(allocator.use(0).tokens == 16 + 4 * 5);
}

TEST_CASE(
    "allocators: are equal prompt blocks of running requests stored once, the last keeping them?") {
  const std::vector<std::uint64_t> both{1, 2}, one{1, 3};
  PagedAllocator allocator(16 * 8, 16, true);
  SlotDemand first = demand(1, 40), second = demand(1, 40);
  first.prompt_blocks = both;
  second.prompt_blocks = one;
  CHECK(allocator.admit(0, first));
  CHECK(allocator.taken_slots() == 48);
  CHECK(allocator.admit(1, second));
  CHECK(allocator.taken_slots() == 80);  // block 1 is shared
  allocator.release(0);
  CHECK(allocator.taken_slots() == 48);
  CHECK(allocator.admit(0, first));
  CHECK(allocator.taken_slots() == 80);
  allocator.release(1);
  allocator.release(0);
  CHECK(allocator.taken_slots() == 0);
}
