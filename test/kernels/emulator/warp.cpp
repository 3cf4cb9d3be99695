// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/port.cuh"
#include "kernels/support.hpp"

#include <array>
#include <vector>

using namespace hpclab;
using namespace hpclab::cuda;
using emulator::FaultKind;

TEST_CASE("emulator: do disjoint partial masks go on side by side (1, 0, 0xaaaa0000)?") {
  for (const std::uint64_t seed : test::seeds()) {
    std::array<std::uint32_t, 32> out{};
    emulator::run("masks", {{1}, {32}},
                  [&] {
                    const unsigned lane = lane_index();
                    if (lane < 16) {
                      out[lane] = shuffle_xor(0x0000ffffu, lane, 1);
                    } else {
                      out[lane] = vote_ballot(0xffff0000u, lane % 2 == 1);
                    }
                  },
                  {.seed = seed});
    CHECK(out[0] == 1);
    CHECK(out[1] == 0);
    CHECK(out[16] == 0xaaaa0000u);
    CHECK(out[31] == 0xaaaa0000u);
  }
}

TEST_CASE("emulator: do shuffles follow width and direction as the CUDA guide says?") {
  for (const std::uint64_t seed : test::seeds()) {
    for (const int width : {1, 2, 4, 8, 16, 32}) {
      std::array<std::array<int, 32>, 4> out{};
      emulator::run("shuffles", {{1}, {32}},
                    [&] {
                      const unsigned lane = lane_index();
                      const int own = 100 + static_cast<int>(lane);
                      out[0][lane] = shuffle(full_mask, own, 5, width);
                      out[1][lane] = shuffle_up(full_mask, own, 3, width);
                      out[2][lane] = shuffle_down(full_mask, own, 3, width);
                      out[3][lane] = shuffle_xor(full_mask, own, 6, width);
                    },
                    {.seed = seed});
      for (int lane = 0; lane < 32; ++lane) {
        const int segment = lane / width * width;
        const int in = lane - segment;
        CHECK(out[0][lane] == 100 + segment + 5 % width);
        CHECK(out[1][lane] == 100 + (in >= 3 ? lane - 3 : lane));
        CHECK(out[2][lane] == 100 + (in + 3 < width ? lane + 3 : lane));
        // A lane of an earlier segment may be read, one of a later segment may not.
        CHECK(out[3][lane] == 100 + ((lane ^ 6) < segment + width ? lane ^ 6 : lane));
      }
    }
  }
}

TEST_CASE("emulator: do shuffles carry 8-byte values, and negative ones?") {
  std::array<double, 32> d{};
  std::array<long long, 32> l{};
  std::array<signed char, 32> c{};
  emulator::run("types", {{1}, {32}}, [&] {
    const unsigned lane = lane_index();
    d[lane] = shuffle_xor(full_mask, -1.5 * lane, 31);
    l[lane] = shuffle(full_mask, -static_cast<long long>(lane) << 40, 3);
    c[lane] = shuffle_down(full_mask, static_cast<signed char>(-static_cast<int>(lane)), 1);
  });
  CHECK(d[0] == -46.5);
  CHECK(l[9] == -(3ll << 40));
  CHECK(c[4] == -5);
}

TEST_CASE("emulator: do votes, matches and reductions give CUDA's results?") {
  for (const std::uint64_t seed : test::seeds()) {
    struct Out {
      bool any, all, none, every;
      std::uint32_t ballot, match, all_equal, not_equal, add, bits_and, bits_or, bits_xor, max;
      int min;
    };
    std::vector<Out> out(32);
    emulator::run("votes", {{1}, {32}},
                  [&] {
                    const unsigned lane = lane_index();
                    Out& o = out[lane];
                    o.any = vote_any(full_mask, lane == 7);
                    o.none = vote_any(full_mask, lane == 32);
                    o.all = vote_all(full_mask, lane < 31);
                    o.every = vote_all(full_mask, lane < 32);
                    o.ballot = vote_ballot(full_mask, lane % 3 == 0);
                    o.match = match_any(full_mask, lane / 8);
                    o.all_equal = match_all(full_mask, 4);
                    o.not_equal = match_all(full_mask, lane / 31);
                    o.add = reduce_add(full_mask, lane);
                    o.min = reduce_min(full_mask, 3 - static_cast<int>(lane));
                    o.max = reduce_max(full_mask, lane * 5);
                    o.bits_and = reduce_and(full_mask, 0xf0u | lane);
                    o.bits_or = reduce_or(full_mask, lane);
                    o.bits_xor = reduce_xor(full_mask, lane);
                  },
                  {.seed = seed});
    for (unsigned lane = 0; lane < 32; ++lane) {
      const Out& o = out[lane];
      CHECK(o.any);
      CHECK_FALSE(o.none);
      CHECK_FALSE(o.all);
      CHECK(o.every);
      CHECK(o.ballot == 0x49249249u);
      CHECK(o.match == 0xffu << lane / 8 * 8);
      CHECK(o.all_equal == full_mask);
      CHECK(o.not_equal == 0);
      CHECK(o.add == 496);
      CHECK(o.min == -28);
      CHECK(o.max == 155);
      CHECK(o.bits_and == 0xf0u);
      CHECK(o.bits_or == 31);
      CHECK(o.bits_xor == 0);
    }
  }
}

TEST_CASE("emulator: does a warp barrier order writes and reads between lanes?") {
  for (const std::uint64_t seed : test::seeds()) {
    unsigned right = 0;
    emulator::run("warp barrier", {{2}, {80}},  // the last warp has 16 lanes
                  [&] {
                    HPCLAB_SHARED(unsigned, slot, [96]);
                    const unsigned t = thread_index().x;
                    slot[t] = t + 1;
                    sync_warp();
                    const unsigned partner = t ^ 1;
                    right += slot[partner] == partner + 1;
                  },
                  {.seed = seed});
    CHECK(right == 160);
  }
}

TEST_CASE("emulator: is reading a lane outside the mask an error with thread and line?") {
  const auto fault = test::fault_of({{1}, {32}}, [] {
    if (lane_index() < 4) {
      shuffle(0xfu, 1, 9);
    }
  });
  CHECK(fault.kind() == FaultKind::illegal_lane);
  CHECK(test::contains(fault.what(), "reads lane 9, which is not in the mask"));
  CHECK(test::contains(fault.what(), "thread (0,0,0) of block (0,0,0) at warp.cpp:"));
}

TEST_CASE("emulator: is reading a lane that has exited or never existed an error?") {
  for (const std::uint64_t seed : test::seeds()) {
    const auto exited = test::fault_of(
        {{1}, {32}},
        [] {
          if (lane_index() == 8) {
            return;
          }
          shuffle(full_mask, 1, 8);
        },
        seed);
    CHECK(exited.kind() == FaultKind::illegal_lane);
    CHECK(test::contains(exited.what(), "reads lane 8, which does not take part"));
    const auto absent = test::fault_of(
        {{1}, {20}}, [] { shuffle_xor(full_mask, 1, 16); }, seed);
    CHECK(absent.kind() == FaultKind::illegal_lane);
  }
}

TEST_CASE("emulator: do exited lanes leave masks without being read?") {
  for (const std::uint64_t seed : test::seeds()) {
    std::array<std::uint32_t, 32> out{};
    emulator::run("exited", {{1}, {32}},
                  [&] {
                    const unsigned lane = lane_index();
                    if (lane >= 24) {
                      return;
                    }
                    out[lane] = vote_ballot(full_mask, true);
                  },
                  {.seed = seed});
    CHECK(out[0] == 0x00ffffffu);
    CHECK(out[23] == 0x00ffffffu);
    CHECK(out[24] == 0);
  }
}

TEST_CASE("emulator: is a mask without the calling lane an error?") {
  const auto fault = test::fault_of({{1}, {32}}, [] { sync_warp(0xfffffffeu); });
  CHECK(fault.kind() == FaultKind::illegal_mask);
  CHECK(test::contains(fault.what(), "lacks the calling lane 0"));
}

TEST_CASE("emulator: are different operations with one mask a deadlock?") {
  const auto fault = test::fault_of({{1}, {32}}, [] {
    if (lane_index() < 16) {
      vote_any(full_mask, true);
    } else {
      shuffle(full_mask, 1, 0);
    }
  });
  CHECK(fault.kind() == FaultKind::deadlock);
  CHECK(test::contains(fault.what(), "threads 0-15 wait in a vote"));
  CHECK(test::contains(fault.what(), "threads 16-31 wait in a shuffle"));
}

TEST_CASE(
    "emulator: is the active mask the branch in ordered schedules, and any part of it in random "
    "ones?") {
  bool split = false;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    std::array<std::uint32_t, 32> mask{};
    std::array<std::uint32_t, 32> ballot{};
    emulator::run("active", {{1}, {32}},
                  [&] {
                    const unsigned lane = lane_index();
                    if (lane % 4 == 0) {
                      mask[lane] = active_mask();
                      ballot[lane] = vote_ballot(mask[lane], true);
                    }
                  },
                  {.seed = seed});
    std::uint32_t all = 0;
    for (unsigned lane = 0; lane < 32; lane += 4) {
      CHECK((mask[lane] >> lane & 1) == 1);
      CHECK((mask[lane] & ~0x11111111u) == 0);
      CHECK(ballot[lane] == mask[lane]);  // all lanes of a mask agree on it
      all |= mask[lane];
      split = split || mask[lane] != 0x11111111u;
      if (seed < 2) {
        CHECK(mask[lane] == 0x11111111u);
      }
    }
    CHECK(all == 0x11111111u);
  }
  CHECK(split);
}
