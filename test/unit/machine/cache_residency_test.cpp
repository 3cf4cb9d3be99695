// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/cache_residency.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

using hpclab::machine::resident_range;
using hpclab::machine::resident_share;

namespace {

// A cache of `lines` lines that replaces a random one, swept cyclically over `set` lines.
double simulated_share(std::size_t set, std::size_t lines) {
  std::vector<std::size_t> slot_of(set, lines);  // lines: not in the cache
  std::vector<std::size_t> line_in(lines, set);
  std::uint64_t state = 7;
  std::size_t filled = 0, hits = 0, counted = 0;
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (std::size_t line = 0; line < set; ++line) {
      counted += sweep >= 10;
      if (slot_of[line] != lines) {
        hits += sweep >= 10;
        continue;
      }
      state = state * 6364136223846793005u + 1442695040888963407u;
      const std::size_t slot = filled < lines ? filled++ : (state >> 33) % lines;
      if (line_in[slot] != set) slot_of[line_in[slot]] = lines;
      line_in[slot] = line;
      slot_of[line] = slot;
    }
  }
  return static_cast<double>(hits) / static_cast<double>(counted);
}

}  // namespace

TEST_CASE("residency: does a set that fits stay, one of 4 caches not, and is it falling between?") {
  CHECK(resident_share(1, 2) == 1);
  CHECK(resident_share(2, 2) == 1);
  CHECK(resident_share(8, 2) == 0);
  double before = 1;
  for (double ratio = 1.01; ratio < 4; ratio += 0.01) {
    const double share = resident_share(ratio, 1);
    CHECK(share < before);
    CHECK(share == Catch::Approx(std::exp(-ratio * (1 - share))).epsilon(1e-9));
    before = share;
  }
}

TEST_CASE("residency: is it what a simulated cache with random replacement keeps?") {
  for (const double ratio : {1.2, 1.5, 2.0, 3.0}) {
    CHECK(
        resident_share(ratio, 1) ==
        Catch::Approx(simulated_share(static_cast<std::size_t>(4000 * ratio), 4000)).margin(0.015));
  }
}

TEST_CASE(
    "residency: do the limits enclose what is expected, and agree far from the cache's size?") {
  for (double ratio = 0.1; ratio < 6; ratio += 0.05) {
    const auto range = resident_range(ratio, 1);
    CHECK(range.low <= range.expected);
    CHECK(range.expected <= range.high + 1e-12);
    if (ratio <= 0.5) CHECK(range.low == 1);
    if (ratio >= 4) CHECK(range.high == 0);
  }
}
