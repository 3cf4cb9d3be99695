// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/thread_team.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>

#include <sched.h>

using namespace hpclab;
using namespace hpclab::machine;

namespace {

int allowed_units() {
  return static_cast<int>(discover_topology().processing_units.size());
}

}  // namespace

TEST_CASE("thread team: does every member run each task exactly once?") {
  ThreadTeam team(discover_topology(), allowed_units());
  std::vector<int> calls(static_cast<std::size_t>(team.size()), 0);  // no atomics: each its own
  for (int round = 0; round < 200; ++round) {
    team.run([&](int member) { ++calls[static_cast<std::size_t>(member)]; });
  }
  for (const int count : calls) CHECK(count == 200);
}

TEST_CASE("thread team: is what one run wrote visible to other members in the next run?") {
  ThreadTeam team(discover_topology(), allowed_units());
  const auto n = static_cast<std::size_t>(team.size());
  std::vector<long> values(n, 1), sums(n, 0);
  for (int round = 0; round < 50; ++round) {
    team.run([&](int member) {
      sums[static_cast<std::size_t>(member)] = std::accumulate(values.begin(), values.end(), 0l);
    });
    team.run([&](int member) {
      values[static_cast<std::size_t>(member)] = sums[static_cast<std::size_t>(member)] % 1000;
    });
  }
  CHECK(std::all_of(sums.begin(), sums.end(), [&](long sum) { return sum == sums[0]; }));
}

TEST_CASE("thread team: is each member on the processing unit it was pinned to?") {
  const Topology topology = discover_topology();
  const std::vector<int> units = pin_order(topology, allowed_units(), Placement::compact);
  ThreadTeam team(units);
  std::vector<int> found(units.size(), -1);
  team.run([&](int member) { found[static_cast<std::size_t>(member)] = sched_getcpu(); });
  CHECK(found == units);
}

TEST_CASE("thread team: does the caller get its affinity back?") {
  cpu_set_t before, after;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  { ThreadTeam team(discover_topology(), 1); }
  REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
  CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("thread team: is an error of a member rethrown and the team usable afterwards?") {
  ThreadTeam team(discover_topology(), allowed_units());
  const int last = team.size() - 1;
  CHECK_THROWS_AS(team.run([&](int member) {
    if (member == last) throw std::domain_error("member failed");
  }),
                  std::domain_error);
  std::atomic<int> calls{0};
  team.run([&](int) { ++calls; });
  CHECK(calls == team.size());
}

TEST_CASE("thread team: are wall and member times consistent?") {
  ThreadTeam team(discover_topology(), allowed_units());
  const ThreadTeam::Times times = team.run([](int) {});
  REQUIRE(static_cast<int>(times.thread_s.size()) == team.size());
  CHECK(times.wall_s == *std::max_element(times.thread_s.begin(), times.thread_s.end()));
  for (const double t : times.thread_s) CHECK(t >= 0);
}

TEST_CASE("thread team: are too many, double and impossible members refused?") {
  const Topology topology = discover_topology();
  CHECK_THROWS_AS(ThreadTeam(topology, allowed_units() + 1), UsageError);
  const int unit = topology.processing_units[0].os_index;
  CHECK_THROWS_AS(ThreadTeam({unit, unit}), UsageError);
  CHECK_THROWS_AS(ThreadTeam(std::vector<int>{}), UsageError);
  CHECK_THROWS_AS(ThreadTeam({unit, CPU_SETSIZE - 1}), UsageError);  // the second pin is refused
  CHECK_THROWS_AS(ThreadTeam({-1}), UsageError);
}
