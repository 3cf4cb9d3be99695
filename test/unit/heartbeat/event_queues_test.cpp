// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/random_stream.hpp"
#include "events/heap_queue.hpp"
#include "events/ladder_queue.hpp"
#include "events/timing_wheel.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <set>

using hpclab::RandomStream;
using namespace hpclab::events;

namespace {

// Increments as simulations have them: heartbeats with jitter, exponential ones, ties, a heavy
// tail.
std::int64_t increment(RandomStream& random, int kind) {
  switch (kind) {
    case 0:
      return 1'000'000'000 + static_cast<std::int64_t>(random.below(50'000'000));
    case 1:
      return static_cast<std::int64_t>(-1e8 * std::log(1 - random.uniform()));
    case 2:
      return static_cast<std::int64_t>(random.below(3));
    default:
      return static_cast<std::int64_t>(std::min(1e5 * std::pow(1 - random.uniform(), -1.2), 1e17));
  }
}

template <class Queue>
void compare_with_set(Queue queue, int kind, std::uint64_t seed) {
  RandomStream random(seed, "events");
  std::set<Event> oracle;
  std::uint64_t id = 0;
  std::int64_t now = 0;
  const auto push = [&](std::int64_t time) {
    const Event event{time, id++};
    queue.push(event);
    oracle.insert(event);
  };
  for (int i = 0; i < 500; ++i) push(increment(random, kind));
  for (int step = 0; step < 8000; ++step) {
    REQUIRE(queue.size() == oracle.size());
    if (oracle.empty()) {
      push(now + increment(random, kind));
      continue;
    }
    const Event event = queue.pop();
    REQUIRE(event == *oracle.begin());
    oracle.erase(oracle.begin());
    now = event.time;
    // Phases of growth and of emptying.
    const std::uint64_t pushes =
        (step / 1000) % 2 == 0 ? random.below(3) : random.below(2) + random.below(2);
    for (std::uint64_t i = 0; i < pushes; ++i) push(now + increment(random, kind));
  }
  while (!oracle.empty()) {
    REQUIRE(queue.pop() == *oracle.begin());
    oracle.erase(oracle.begin());
  }
  CHECK(queue.empty());
}

}  // namespace

TEST_CASE("do all event queues give events in the order of an ordered set?") {
  for (int kind = 0; kind < 4; ++kind) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      INFO("increments " << kind << " seed " << seed);
      compare_with_set(HeapQueue<4>(), kind, seed);
      compare_with_set(HeapQueue<2>(), kind, seed);
      compare_with_set(TimingWheel(1'000'000, 1 << 10), kind, seed);
      compare_with_set(TimingWheel(1, 16), kind, seed);
      compare_with_set(LadderQueue(), kind, seed);
    }
  }
}
