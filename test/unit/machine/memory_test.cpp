// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/memory.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/fixture_root.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

using namespace hpclab;
using namespace hpclab::machine;

TEST_CASE("memory: is a buffer aligned to huge pages and writable to its last byte?") {
  for (const HugePages pages : {HugePages::system, HugePages::advise, HugePages::never}) {
    const Buffer buffer(5000001, pages);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % (2u << 20) == 0);
    CHECK(buffer.size_bytes() == 5000001);
    buffer.data()[0] = std::byte{1};
    buffer.data()[5000000] = std::byte{2};
    CHECK(buffer.as<double>().size() == 625000);
  }
}

TEST_CASE("memory: does a moved buffer hand over its memory?") {
  Buffer first(4096);
  std::byte* const data = first.data();
  Buffer second(std::move(first));
  CHECK(second.data() == data);
  CHECK(first.data() == nullptr);  // NOLINT: the state after a move is part of the interface
  Buffer empty;
  CHECK(empty.size_bytes() == 0);
}

TEST_CASE("memory: can a buffer be bound to the node of a unit, and is a missing node skipped?") {
  const Topology topology = discover_topology();
  const int node =
      *memory_node(topology, topology.processing_units[0].os_index, MemoryPlacement::near);
  try {
    const Buffer buffer(1 << 20, HugePages::system, node);
    buffer.data()[0] = std::byte{1};
  } catch (const CaseSkipped&) {
    WARN("this container refuses mbind");
  }
  CHECK_THROWS_AS(Buffer(4096, HugePages::system, 1000), CaseSkipped);
  CHECK_THROWS_AS(Buffer(4096, HugePages::system, -1), CaseSkipped);
}

TEST_CASE("memory: is a request beyond the machine a failed case that names both numbers?") {
  try {
    const Buffer buffer(std::size_t{1} << 50);
    FAIL("no error");
  } catch (const CaseFailed& error) {
    CHECK(std::string(error.what()).find("1048576.00 GiB of memory needed") != std::string::npos);
  }
}

TEST_CASE("memory: are random numbers from 1 up to 2, reproducible and independent of the split?") {
  std::vector<double> whole(100003), parts(whole.size());
  fill_random(whole, 7);
  for (int member = 0; member < 3; ++member) {
    const Share share = share_of(parts.size(), member, 3);
    fill_random(std::span(parts).subspan(share.begin, share.end - share.begin), 7, share.begin);
  }
  CHECK(whole == parts);
  ThreadTeam team(discover_topology(), 1);
  std::vector<double> by_team(whole.size());
  fill_random(by_team, 7, team);
  CHECK(whole == by_team);
  double sum = 0, square = 0;
  for (const double x : whole) {
    REQUIRE(x >= 1.0);
    REQUIRE(x < 2.0);
    sum += x;
    square += (x - 1.5) * (x - 1.5);
  }
  const double n = static_cast<double>(whole.size());
  // Uniform on [1,2): mean 1.5, variance 1/12; four standard errors of either for this n.
  CHECK(sum / n == Catch::Approx(1.5).margin(4 * 0.2887 / 316.2));
  CHECK(square / n == Catch::Approx(1.0 / 12).margin(4 * 0.0745 / 316.2));
  CHECK(std::set<double>(whole.begin(), whole.end()).size() == whole.size());
  std::vector<double> other(whole.size());
  fill_random(other, 8);
  CHECK(other != whole);
}

TEST_CASE("memory: do shares cover every element once, with borders on whole blocks?") {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{511},
                                  std::size_t{512}, std::size_t{5000}, std::size_t{123457}}) {
    for (int members = 1; members <= 7; ++members) {
      std::size_t next = 0;
      for (int member = 0; member < members; ++member) {
        const Share share = share_of(count, member, members);
        REQUIRE(share.begin == next);
        REQUIRE(share.end >= share.begin);
        if (share.end != count) REQUIRE(share.end % 512 == 0);
        next = share.end;
      }
      CHECK(next == count);
    }
  }
}

TEST_CASE("memory: can a member touch a buffer for all, and is an unknown member refused?") {
  ThreadTeam team(discover_topology(), 1);
  const Buffer buffer(20000);
  touch_by(buffer, team, 0);
  CHECK(buffer.data()[4096] == std::byte{1});
  CHECK_THROWS_AS(touch_by(buffer, team, 1), UsageError);
}

TEST_CASE("memory: does the tighter of MemAvailable and the control group count?") {
  test::FixtureRoot root;
  root.file("/proc/meminfo", "MemTotal:  100000 kB\nMemAvailable:   80000 kB\n");
  CHECK(available_memory_bytes(SystemRoot(root.path())) == 80000u * 1024);
  root.file("/proc/self/cgroup", "0::/job/step\n")
      .file("/sys/fs/cgroup/cgroup.controllers", "cpu memory")
      .file("/sys/fs/cgroup/job/memory.max", "50000000\n")
      .file("/sys/fs/cgroup/job/memory.current", "30000000\n")
      .file("/sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 10000000\n")
      .file("/sys/fs/cgroup/job/step/memory.max", "max\n");
  // 50 MB limit of the parent, 30 MB in use of which 10 MB are page cache: 30 MB are left.
  CHECK(available_memory_bytes(SystemRoot(root.path())) == 30000000u);
  CHECK_NOTHROW(require_memory(26000000, SystemRoot(root.path())));
  CHECK_THROWS_AS(require_memory(28000000, SystemRoot(root.path())), CaseFailed);
}
