// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Prints what the emulator costs on this machine: nanoseconds for a block barrier, a shuffle and a
// start of one thread. Not a test: no test asserts a time.
#include "cuda/emulator/emulator.hpp"
#include "cuda/emulator/primitives.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>

using namespace hpclab;

namespace {

/// Median of five runs of `work`, which returns how many things it did, in nanoseconds each.
template <class Work>
double cost_ns(Work work) {
  std::vector<double> samples;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto number = static_cast<double>(work());
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    samples.push_back(time.count() / number);
  }
  std::sort(samples.begin(), samples.end());
  return samples[2];
}

}  // namespace

int main() {
  constexpr int rounds = 500;
  for (const unsigned threads : {64u, 256u, 1024u}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      emulator::Options options;
      options.seed = seed;
      const double barrier = cost_ns([&] {
        const auto body = [] {
          for (int i = 0; i < rounds; ++i) {
            emulator::sync_block();
          }
        };
        return emulator::run("barriers", {{1}, {threads}}, body, options).barrier_arrivals;
      });
      const double shuffle = cost_ns([&] {
        const auto body = [] {
          int value = 1;
          for (int i = 0; i < rounds; ++i) {
            value += emulator::shuffle_xor(emulator::full_mask, value, 1);
          }
        };
        return emulator::run("shuffles", {{1}, {threads}}, body, options).warp_arrivals;
      });
      const double start = cost_ns([&] {
        return emulator::run(
                   "starts", {{200}, {threads}}, [] {}, options)
            .threads;
      });
      fmt::print(
          "{{\"threads_per_block\":{},\"seed\":{},\"barrier_ns\":{:.1f},\"shuffle_ns\":{:.1f},"
          "\"start_ns\":{:.1f}}}\n",
          threads, seed, barrier, shuffle, start);
    }
  }
  return 0;
}
