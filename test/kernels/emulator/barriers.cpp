// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/block_reduce.cuh"
#include "cuda/core/port.cuh"
#include "kernels/support.hpp"

#include <vector>

using namespace hpclab;
using namespace hpclab::cuda;
using emulator::FaultKind;

TEST_CASE("emulator: does a block reduction of i mod 7 for i < 65536 give 196603 in every order?") {
  for (const std::uint64_t seed : test::seeds()) {
    std::uint32_t total = 0;
    const auto statistics = emulator::run(
        "reduction", {{64}, {256}},
        [&] {
          std::uint32_t sum = 0;
          for (unsigned i = block_index().x * 256 + thread_index().x; i < 65536; i += 64 * 256) {
            sum += i % 7;
          }
          sum = block_sum(sum);
          if (thread_index().x == 0) {
            atomic_add(&total, sum);
          }
        },
        {.seed = seed});
    CHECK(total == 196603);
    CHECK(statistics.threads == 64 * 256);
    CHECK(statistics.barrier_arrivals == 64 * 256);
  }
}

TEST_CASE("emulator: do threads that return early leave the barrier to the others?") {
  for (const std::uint64_t seed : test::seeds()) {
    unsigned arrived = 0;
    unsigned after = 0;
    emulator::run("early exit", {{1}, {64}},
                  [&] {
                    if (thread_index().x % 2 == 1) {
                      return;
                    }
                    ++arrived;
                    sync_block();
                    after += arrived == 32;
                  },
                  {.seed = seed});
    CHECK(arrived == 32);
    CHECK(after == 32);  // nobody passed before all 32 had come
  }
}

TEST_CASE("emulator: does a thread that exits last release a barrier already waited for?") {
  // In forward order thread 0 waits first; thread 63 leaves without the barrier afterwards.
  unsigned passed = 0;
  emulator::run("late exit", {{1}, {64}}, [&] {
    if (thread_index().x == 63) {
      return;
    }
    sync_block();
    ++passed;
  });
  CHECK(passed == 63);
}

TEST_CASE("emulator: are three-dimensional indices those of CUDA?") {
  std::vector<int> seen(2 * 3 * 4 * 5 * 6 * 7, 0);
  emulator::run("indices", {{2, 3, 4}, {5, 6, 7}}, [&] {
    const auto b = block_index();
    const auto t = thread_index();
    const auto n = block_size();
    const auto g = grid_size();
    const unsigned block = b.x + g.x * (b.y + g.y * b.z);
    ++seen[block * 210 + t.x + n.x * (t.y + n.y * t.z)];
    if (lane_index() != (t.x + 5 * (t.y + 6 * t.z)) % 32) {
      ++seen[0];
    }
  });
  for (const int count : seen) {
    REQUIRE(count == 1);
  }
}

TEST_CASE("emulator: does a deadlock name every waiting thread with operation and line?") {
  for (const std::uint64_t seed : test::seeds()) {
    unsigned line = 0;
    const auto fault = test::fault_of(
        {{2}, {64}},
        [&] {
          const unsigned t = thread_index().x;
          if (t == 40) {
            return;
          }
          if (t != 5) {
            line = __LINE__ + 1;
            sync_block();
          } else {
            vote_all(0x60, true);  // lane 6 never comes
          }
        },
        seed);
    CHECK(fault.kind() == FaultKind::deadlock);
    const std::string text = fault.what();
    INFO(text);
    CHECK(
        test::contains(text, "threads 0-4, 6-39, 41-63 wait in the block barrier at barriers.cpp:" +
                                 std::to_string(line)));
    CHECK(test::contains(text, "thread 5 waits in a vote with mask 0x00000060 at barriers.cpp:" +
                                   std::to_string(line + 2)));
    CHECK(test::contains(text, "1 threads have finished"));
  }
}

TEST_CASE("emulator: are two barriers on different lines a fault that names both?") {
  unsigned line = 0;
  const auto fault = test::fault_of({{1}, {2}}, [&] {
    if (thread_index().x == 0) {
      line = __LINE__ + 1;
      sync_block();
    } else {
      sync_block();
    }
  });
  CHECK(fault.kind() == FaultKind::divergent_barrier);
  CHECK(test::contains(fault.what(), "line " + std::to_string(line)));
  CHECK(test::contains(
      fault.what(), "thread (1,0,0) of block (0,0,0) at barriers.cpp:" + std::to_string(line + 2)));
}

TEST_CASE("emulator: does the machine work on after a fault and after an exception in a kernel?") {
  test::fault_of({{1}, {48}}, [] {
    if (thread_index().x < 2) {
      vote_any(0x7, true);
    } else if (thread_index().x == 2) {
      sync_block();
    }
  });
  CHECK_THROWS_AS(emulator::run("thrower", {{3}, {96}},
                                [] {
                                  sync_block();
                                  if (block_index().x == 1 && thread_index().x == 70) {
                                    throw std::runtime_error("from a kernel");
                                  }
                                  sync_block();
                                }),
                  std::runtime_error);
  unsigned count = 0;
  emulator::run("after", {{2}, {33}}, [&] {
    sync_block();
    ++count;
  });
  CHECK(count == 66);
}

TEST_CASE("emulator: does a grid barrier hold all blocks, and only in a cooperative launch?") {
  for (const std::uint64_t seed : test::seeds()) {
    unsigned before = 0;
    unsigned complete = 0;
    emulator::run("grid", {{5}, {96}, 0, true},
                  [&] {
                    for (unsigned round = 1; round <= 3; ++round) {
                      ++before;
                      sync_grid();
                      complete += before == round * 480;
                      sync_grid();
                    }
                  },
                  {.seed = seed});
    CHECK(complete == 3 * 480);
  }
  CHECK(test::fault_of({{2}, {32}}, [] { sync_grid(); }).kind() == FaultKind::illegal_grid_sync);
}

TEST_CASE("emulator: does a grid barrier that one block left hang, as on a device?") {
  const auto fault = test::fault_of({{2}, {32}, 0, true}, [] {
    if (block_index().x == 1) {
      return;
    }
    sync_grid();
  });
  CHECK(fault.kind() == FaultKind::deadlock);
  CHECK(test::contains(fault.what(), "threads 0-31 wait in the grid barrier"));
}

TEST_CASE("emulator: do spinning loads let the other threads run?") {
  for (const std::uint64_t seed : test::seeds()) {
    int flag = 0;
    int seen = 0;
    emulator::run("spin", {{1}, {64}},
                  [&] {
                    if (thread_index().x == 17) {
                      atomic_exchange(&flag, 1);
                    } else {
                      while (atomic_load(&flag) == 0) {
                      }
                    }
                    atomic_add(&seen, 1);
                  },
                  {.seed = seed});
    CHECK(seen == 64);
  }
}

TEST_CASE("emulator: is a loop that waits for a store nobody makes found?") {
  int flag = 0;
  const auto fault = test::fault_of({{1}, {32}}, [&] {
    if (thread_index().x == 9) {
      while (atomic_load(&flag) == 0) {
      }
    }
    sync_block();
  });
  CHECK(fault.kind() == FaultKind::deadlock);
  CHECK(test::contains(fault.what(), "threads 0-8, 10-31 wait in the block barrier"));
  CHECK(test::contains(fault.what(), "the others wait in loops"));
}

TEST_CASE("emulator: do atomics return the old value and change by CUDA's rules?") {
  unsigned a = 10, b = 10, c = 10, d = 10, e = 10;
  emulator::run("atomics", {{1}, {1}}, [&] {
    CHECK(atomic_add(&a, 5) == 10u);
    CHECK(atomic_min(&b, 3) == 10u);
    CHECK(atomic_max(&c, 30) == 10u);
    CHECK(atomic_or(&d, 5) == 10u);
    CHECK(atomic_compare_exchange(&e, 9, 1) == 10u);
    CHECK(e == 10u);
    CHECK(atomic_compare_exchange(&e, 10, 1) == 10u);
  });
  CHECK(a == 15);
  CHECK(b == 3);
  CHECK(c == 30);
  CHECK(d == 15);
  CHECK(e == 1);
}
