// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What describes a launch on the emulator: extents, schedule, limits and the counts it returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

namespace hpclab::emulator {

/// Extents or an index of a grid or block; x runs fastest, as in CUDA.
struct Dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// Number of points in an extent.
constexpr std::uint64_t count(Dim3 extent) {
  return std::uint64_t{extent.x} * extent.y * extent.z;
}

/// Which of several runnable threads goes on. All are legal orders on a device: warps are not in
/// lockstep. Forward and reverse let one thread run ahead as far as synchronisation allows.
enum class Schedule { forward, reverse, random };

/// Seed 0 is forward, 1 is reverse, any other a random order drawn from that seed.
constexpr Schedule schedule_of(std::uint64_t seed) {
  return seed == 0 ? Schedule::forward : seed == 1 ? Schedule::reverse : Schedule::random;
}

/// Limits of a block as on devices of compute capability 9.0 (CUDA programming guide, technical
/// specifications per compute capability).
struct Limits {
  std::uint64_t threads_per_block = 1024;
  unsigned block_z = 64;
  unsigned grid_yz = 65535;
  std::size_t static_shared_bytes = std::size_t{48} * 1024;
  std::size_t shared_bytes = std::size_t{227} * 1024;  ///< static and dynamic together
  std::uint64_t cooperative_threads = 4096;  ///< fibers alive at once: a limit of the emulator
};

struct Options {
  std::uint64_t seed = 0;
  Limits limits = {};
};

/// What ran; the emulator reports no time.
struct Statistics {
  std::uint64_t threads = 0;
  std::uint64_t barrier_arrivals =
      0;                            ///< thread-barriers: one for each thread at each block barrier
  std::uint64_t warp_arrivals = 0;  ///< the same for warp barriers, shuffles, votes and matches
  std::uint64_t switches = 0;       ///< changes from one fiber to another
  std::size_t static_shared_bytes = 0;
};

}  // namespace hpclab::emulator
