// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A pointer chase is right when its chains are disjoint cycles that cover every line once.
#include "core/error.hpp"
#include "roofline/ceilings/chase.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

namespace {

using namespace hpclab::roofline::ceilings;

struct Lines {
  explicit Lines(std::size_t count)
      : memory(static_cast<std::byte*>(std::aligned_alloc(64, count * 64)), &std::free),
        bytes(count * 64) {}
  std::size_t index(const void* node) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(node) - memory.get()) / 64;
  }
  std::unique_ptr<std::byte, decltype(&std::free)> memory;
  std::size_t bytes;
};

// The lines of one cycle, in order, beginning at `start`; stops at `limit` so that a wrong cycle
// ends.
std::vector<std::size_t> cycle(const Lines& lines, void* start, std::size_t limit) {
  std::vector<std::size_t> visited;
  void* node = start;
  do {
    visited.push_back(lines.index(node));
    node = *static_cast<void**>(node);
  } while (node != start && visited.size() <= limit);
  return visited;
}

TEST_CASE(
    "Do the chains of a chase visit every line exactly once, in lengths that differ by at most "
    "one?",
    "[roofline]") {
  for (const ChaseOrder order : all_chase_orders) {
    for (const std::size_t count : {64, 97, 1000}) {
      for (int chains = 1; chains <= max_chains; ++chains) {
        const Lines lines(count);
        const ChasePositions positions =
            build_chase(lines.memory.get(), lines.bytes, chains, order, 1024, 42);
        std::set<std::size_t> all;
        std::size_t total = 0;
        bool balanced = true;
        for (std::size_t chain = 0; chain < static_cast<std::size_t>(chains); ++chain) {
          const auto visited = cycle(lines, positions.node[chain], count);
          const std::size_t share = count / static_cast<std::size_t>(chains);
          balanced = balanced && (visited.size() == share || visited.size() == share + 1);
          total += visited.size();
          all.insert(visited.begin(), visited.end());
        }
        INFO(name(order) << " lines " << count << " chains " << chains);
        CHECK(balanced);
        CHECK(total == count);
        CHECK(all.size() == count);
      }
    }
  }
}

TEST_CASE("Does a chase advance each chain by exactly the steps asked for?", "[roofline]") {
  const Lines lines(500);
  for (const int chains : {1, 2, 3, 7, 8, 13, 16, 31, 32}) {
    ChasePositions positions =
        build_chase(lines.memory.get(), lines.bytes, chains, ChaseOrder::random, 4096, 7);
    std::vector<void*> walked(positions.node.begin(), positions.node.begin() + chains);
    for (void*& node : walked) {
      for (int step = 0; step < 37; ++step) node = *static_cast<void**>(node);
    }
    CHECK(chase_seconds_per_step(positions, 37) >= 0);
    CHECK(std::vector<void*>(positions.node.begin(), positions.node.begin() + chains) == walked);
  }
}

TEST_CASE("Does the page-local order finish each page before the next?", "[roofline]") {
  const std::size_t page_lines = 32;
  const Lines lines(20 * page_lines + 5);  // the last page is short
  const ChasePositions positions =
      build_chase(lines.memory.get(), lines.bytes, 1, ChaseOrder::page_local, page_lines * 64, 3);
  const auto visited = cycle(lines, positions.node[0], lines.bytes / 64);
  std::size_t changes = 0;
  for (std::size_t i = 1; i < visited.size(); ++i) {
    changes += visited[i] / page_lines != visited[i - 1] / page_lines ? 1 : 0;
  }
  CHECK(changes == 20);  // 21 pages in one run
}

TEST_CASE(
    "Is the random order without pattern: neighbours seldom, and mean stride a third of the set?",
    "[roofline]") {
  const Lines lines(4096);
  const ChasePositions positions =
      build_chase(lines.memory.get(), lines.bytes, 1, ChaseOrder::random, 4096, 11);
  const auto visited = cycle(lines, positions.node[0], 4096);
  double stride = 0;
  int neighbours = 0;
  for (std::size_t i = 1; i < visited.size(); ++i) {
    const double jump =
        std::abs(static_cast<double>(visited[i]) - static_cast<double>(visited[i - 1]));
    stride += jump / 4095;
    neighbours += jump == 1 ? 1 : 0;
  }
  // Uniform pairs differ by n/3 with standard deviation n/sqrt(18); 4095 of them: 5 standard errors
  // are 1.8 %.
  CHECK(stride == Catch::Approx(4096 / 3.0).epsilon(0.06));
  CHECK(neighbours < 15);  // Poisson with mean 2
}

TEST_CASE("Is the same seed the same chase, and another seed another?", "[roofline]") {
  const Lines a(256), b(256), other(256);
  const auto walk = [](const Lines& lines, std::uint64_t seed) {
    return cycle(
        lines,
        build_chase(lines.memory.get(), lines.bytes, 1, ChaseOrder::random, 4096, seed).node[0],
        256);
  };
  CHECK(walk(a, 5) == walk(b, 5));
  CHECK(walk(a, 5) != walk(other, 6));
}

TEST_CASE("Are chases that cannot be built refused?", "[roofline]") {
  const Lines lines(64);
  const auto build = [&](std::size_t bytes, int chains, std::size_t page) {
    build_chase(lines.memory.get(), bytes, chains, ChaseOrder::page_local, page, 1);
  };
  CHECK_THROWS_AS(build(4096, 0, 4096), hpclab::UsageError);
  CHECK_THROWS_AS(build(4096, 33, 4096), hpclab::UsageError);
  CHECK_THROWS_AS(build(64 * 63, 32, 4096), hpclab::UsageError);
  CHECK_THROWS_AS(build(4096, 1, 100), hpclab::UsageError);
  CHECK_THROWS_AS(build_chase(lines.memory.get() + 8, 2048, 1, ChaseOrder::random, 4096, 1),
                  hpclab::UsageError);
  ChasePositions unbuilt;
  CHECK_THROWS_AS(chase_seconds_per_step(unbuilt, 10), hpclab::UsageError);
}

}  // namespace
