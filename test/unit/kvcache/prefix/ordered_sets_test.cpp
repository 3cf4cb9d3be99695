// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/block_table.hpp"
#include "kvcache/prefix/position_set.hpp"
#include "kvcache/prefix/slot_order.hpp"
#include "support/catch.hpp"

#include <iterator>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

using namespace hpclab::kvcache::prefix;

TEST_CASE("slot order: does it count larger members as a sorted set does?") {
  constexpr std::size_t slots = 3000;  // several leaves, the last one partly
  SlotOrder order(slots);
  std::set<std::size_t> expected;
  std::minstd_rand chance(1);
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t slot = chance() % slots;
    if (expected.erase(slot) == 1) {
      order.erase(slot);
    } else {
      expected.insert(slot);
      order.insert(slot);
    }
    const std::size_t asked = chance() % slots;
    const auto above = expected.upper_bound(asked);
    REQUIRE(order.above(asked) == static_cast<std::size_t>(std::distance(above, expected.end())));
    const auto from = expected.lower_bound(asked);
    REQUIRE(order.first_from(asked) == (from == expected.end() ? order.slots() : *from));
  }
}

TEST_CASE("slot order: is it the first members after a reset, at every count around a word?") {
  SlotOrder order;
  for (std::size_t count : {0, 1, 63, 64, 65, 511, 512, 513, 1024, 1500}) {
    order.reset_to_first(count, 1500);
    for (std::size_t slot = 0; slot < 1500; slot += 7) {
      REQUIRE(order.above(slot) == (slot + 1 < count ? count - slot - 1 : 0));
    }
    CHECK(order.first_from(0) == (count > 0 ? 0 : order.slots()));
  }
}

TEST_CASE(
    "position set: is its largest member that of a sorted set, at bounds around 64 and 4096?") {
  for (std::uint64_t bound : {1u, 64u, 65u, 4095u, 4096u, 4097u, 300'000u}) {
    PositionSet set(bound);
    std::set<std::uint64_t> expected;
    std::minstd_rand chance(static_cast<unsigned>(bound));
    for (int step = 0; step < 5000; ++step) {
      const std::uint64_t position = chance() % bound;
      REQUIRE(set.contains(position) == expected.contains(position));
      if (expected.erase(position) == 1) {
        set.erase(position);
      } else {
        expected.insert(position);
        set.insert(position);
      }
      REQUIRE(set.size() == expected.size());
      if (!expected.empty()) REQUIRE(set.largest() == *expected.rbegin());
    }
  }
}

TEST_CASE("block table: does it hold what a map holds while ids come and go?") {
  // Multiples of 4096 share their low bits; small ids lie side by side; the rest is random.
  for (const std::uint64_t factor : {1ull, 4096ull, 0x9E3779B97F4A7C15ull}) {
    BlockTable table;
    std::unordered_map<std::uint64_t, std::uint32_t> expected;
    std::vector<std::size_t> place_of(1 << 16);
    const auto moved = [&](std::uint32_t number, std::size_t place) { place_of[number] = place; };
    std::minstd_rand chance(7);
    for (std::uint32_t step = 0; step < 40'000; ++step) {
      const std::uint64_t id = (chance() % 5000) * factor;
      table.reserve(1, moved);
      const std::size_t place = table.probe(id);
      const auto known = expected.find(id);
      REQUIRE((table.number(place) != BlockTable::none) == (known != expected.end()));
      if (known == expected.end()) {
        table.insert(place, id, step % (1 << 16));
        place_of[step % (1 << 16)] = place;
        expected[id] = step % (1 << 16);
      } else {
        REQUIRE(table.number(place) == known->second);
        REQUIRE(place_of[known->second] == place);
        table.erase(place, moved);
        expected.erase(known);
      }
      REQUIRE(table.size() == expected.size());
    }
  }
}
