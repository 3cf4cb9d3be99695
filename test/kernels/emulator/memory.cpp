// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/port.cuh"
#include "cuda/core/ptx.cuh"
#include "kernels/support.hpp"

#include <cstring>
#include <vector>

using namespace hpclab;
using namespace hpclab::cuda;
using emulator::FaultKind;

TEST_CASE("emulator: does every block find its shared memory poisoned?") {
  for (const std::uint64_t seed : test::seeds()) {
    unsigned poisoned = 0;
    emulator::run("poison", {{7}, {32}, 256},
                  [&] {
                    HPCLAB_SHARED(std::uint32_t, words, [64]);
                    auto* dynamic = dynamic_shared<std::uint32_t>();
                    const unsigned t = thread_index().x;
                    poisoned += words[t] == 0xcdcdcdcdu && dynamic[t] == 0xcdcdcdcdu;
                    words[t] = dynamic[t] = t;
                  },
                  {.seed = seed});
    CHECK(poisoned == 7 * 32);
  }
}

TEST_CASE("emulator: do all threads of a block share one variable, and sites have their own?") {
  unsigned total = 0;
  const auto statistics = emulator::run("sharing", {{3}, {40}}, [&] {
    HPCLAB_SHARED(unsigned, counter);
    HPCLAB_SHARED(double, row, [4][8]);
    if (thread_index().x == 0) {
      counter = 0;
      row[3][7] = 1;
    }
    sync_block();
    ++counter;
    sync_block();
    total += counter == 40 && row[3][7] == 1;
  });
  CHECK(total == 120);
  CHECK(statistics.static_shared_bytes == 16 + 256);  // variables start at multiples of 16
}

TEST_CASE("emulator: are the limits of a block those of a device?") {
  const auto nothing = [] {};
  CHECK(test::fault_of({{1}, {1025}}, nothing).kind() == FaultKind::limit);
  CHECK(test::fault_of({{1}, {1, 1, 65}}, nothing).kind() == FaultKind::limit);
  CHECK(test::fault_of({{0}, {1}}, nothing).kind() == FaultKind::limit);
  CHECK(test::fault_of({{1, 65536}, {1}}, nothing).kind() == FaultKind::limit);
  CHECK(test::fault_of({{1}, {1}, 227 * 1024 + 1}, nothing).kind() == FaultKind::limit);
  CHECK(test::fault_of({{64}, {1024}, 0, true}, nothing).kind() == FaultKind::limit);
  CHECK_NOTHROW(emulator::run("largest", {{1}, {1024}, 227 * 1024}, nothing));
  const auto large = test::fault_of({{1}, {1}}, [] {
    HPCLAB_SHARED(char, first, [40000]);
    HPCLAB_SHARED(char, second, [9153]);
    first[0] = second[0] = 0;
  });
  CHECK(large.kind() == FaultKind::limit);
  CHECK(test::contains(large.what(), "'second' of 9153 bytes"));
  const auto together = test::fault_of({{1}, {1}, 226 * 1024}, [] {
    HPCLAB_SHARED(char, block, [2048]);
    block[0] = 0;
  });
  CHECK(together.kind() == FaultKind::limit);
}

namespace {

/// Copies 64 words into shared memory and reads them back, with or without commit and wait.
std::vector<std::uint32_t> staged(bool commit, bool wait, std::uint64_t seed) {
  alignas(16) static const std::uint32_t source[64] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::uint32_t> seen(64);
  emulator::run("staged", {{1}, {16}},
                [&] {
                  HPCLAB_SHARED(Words4, stage, [16]);
                  const unsigned t = thread_index().x;
                  async_copy<16>(&stage[t], source + 4 * t);
                  if (commit) {
                    async_copy_commit();
                  }
                  if (wait) {
                    async_copy_wait<0>();
                  }
                  sync_block();
                  std::memcpy(&seen[4 * t], &stage[15 - t], 16);
                },
                {.seed = seed});
  return seen;
}

}  // namespace

TEST_CASE("emulator: is a copy without commit or without wait still garbage after the barrier?") {
  for (const std::uint64_t seed : test::seeds()) {
    const auto right = staged(true, true, seed);
    CHECK(right[60] == 1);
    CHECK(right[63] == 4);
    CHECK(right[0] == 0);
    for (const std::uint32_t word : staged(false, true, seed)) {
      REQUIRE(word == 0xcdcdcdcdu);
    }
    for (const std::uint32_t word : staged(true, false, seed)) {
      REQUIRE(word == 0xcdcdcdcdu);
    }
  }
}

TEST_CASE("emulator: does waiting for all but n groups complete exactly the older ones?") {
  const std::uint64_t source[4] = {11, 12, 13, 14};
  std::vector<std::uint64_t> first, second, third;
  emulator::run("groups", {{1}, {1}}, [&] {
    HPCLAB_SHARED(std::uint64_t, stage, [4]);
    const auto look = [&] { return std::vector<std::uint64_t>(stage, stage + 4); };
    for (int i = 0; i < 3; ++i) {
      async_copy<8>(&stage[i], &source[i]);
      async_copy_commit();
    }
    async_copy<8>(&stage[3], &source[3]);  // not committed
    async_copy_wait<2>();
    first = look();
    async_copy_wait<1>();
    second = look();
    async_copy_wait<0>();
    third = look();
  });
  constexpr std::uint64_t poison = 0xcdcdcdcdcdcdcdcdull;
  CHECK(first == std::vector<std::uint64_t>{11, poison, poison, poison});
  CHECK(second == std::vector<std::uint64_t>{11, 12, poison, poison});
  CHECK(third == std::vector<std::uint64_t>{11, 12, 13, poison});
}

TEST_CASE("emulator: does a short source leave zeros, and is its overwriting seen?") {
  std::uint32_t source[4] = {1, 2, 3, 4};
  std::uint32_t seen[8] = {};
  emulator::run("short", {{1}, {1}}, [&] {
    HPCLAB_SHARED(std::uint32_t, stage, [8]);
    async_copy<8>(&stage[0], &source[0], 4);
    async_copy<4>(&stage[2], &source[2]);
    async_copy_commit();
    source[2] = 33;  // before the wait: a device may read it now or earlier
    async_copy_wait<0>();
    std::memcpy(seen, stage, 12);
  });
  CHECK(seen[0] == 1);
  CHECK(seen[1] == 0);
  CHECK(seen[2] == 33);
}

TEST_CASE("emulator: are copies that are misaligned or not into shared memory errors?") {
  alignas(16) static std::uint32_t source[8] = {};
  alignas(16) static std::uint32_t global[8] = {};
  CHECK(test::fault_of({{1}, {1}}, [] {
          HPCLAB_SHARED(Words4, stage, [2]);
          async_copy<16>(&stage[0], source + 1);
        }).kind() == FaultKind::illegal_copy);
  CHECK(test::fault_of({{1}, {1}}, [] { async_copy<16>(global, source); }).kind() ==
        FaultKind::illegal_copy);
}
