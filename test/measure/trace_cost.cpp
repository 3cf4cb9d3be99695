// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Prints what one range costs on this machine: idle, in our own trace, and passed on to NVTX (set
// NVTX_INJECTION64_PATH to a tool for that line). Not a test: no test asserts a time.
#include "core/trace.hpp"
#include "cuda/core/nvtx_listener.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

using namespace hpclab;

namespace {

/// Median of seven runs of `count` ranges, in nanoseconds each. The barrier keeps the compiler from
/// joining neighbouring ranges.
double range_ns(int count) {
  static const trace::Name name("trace-cost/range");
  std::vector<double> samples;
  for (int run = 0; run < 7; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      const trace::Range range(name, trace::Category::measure);
      asm volatile("" ::: "memory");
    }
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    samples.push_back(time.count() / count);
  }
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

}  // namespace

int main() {
  fmt::print("{{\"range\":\"idle\",\"time_ns\":{:.2f}}}\n", range_ns(10'000'000));
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("hpclab-trace-cost-{}.json", ::getpid());
  trace::start(file);
  fmt::print("{{\"range\":\"traced\",\"time_ns\":{:.1f}}}\n", range_ns(20'000));
  trace::finish();
  std::filesystem::remove(file);
  fmt::print("{{\"range\":\"idle after a trace\",\"time_ns\":{:.2f}}}\n", range_ns(10'000'000));
  if (cuda::attach_nvtx() == cuda::NvtxState::attached) {
    fmt::print("{{\"range\":\"nvtx with a tool\",\"time_ns\":{:.1f}}}\n", range_ns(20'000));
  } else {
    fmt::print("{{\"range\":\"nvtx without a tool\",\"time_ns\":{:.2f}}}\n", range_ns(10'000'000));
  }
  return 0;
}
