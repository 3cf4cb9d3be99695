// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Arguments of the kernels that measure ceilings, and the data that their checks rest on. Plain
// data, the same for host, device and emulator. Words are unsigned and sums wrap, so that results
// do not depend on the order of additions.
#pragma once

#include "cuda/core/vector_types.hpp"

#include <cstdint>

namespace hpclab::roofline::ceilings {

using cuda::Doubles2;
using cuda::Words4;

enum class StreamKind { read, write, copy };
enum class Precision { fp64, fp32, fp16, bf16 };

const char* name_of(StreamKind kind);
const char* name_of(Precision precision);

/// Streams of 16-byte vectors. With `passes` > 1 a block takes another block's share in each pass,
/// so that a working set inside the L2 cache is read from both of its halves.
struct WordStream {
  const Words4* in = nullptr;
  Words4* out = nullptr;
  std::uint32_t* sums = nullptr;  ///< one for each block: wrapping sum of the words it read
  std::uint64_t vectors = 0;
  std::uint32_t passes = 1;
  std::uint32_t seed = 0;  ///< of the data that write and mix make
};

/// a = b + scale * c.
struct TriadStream {
  const Doubles2* b = nullptr;
  const Doubles2* c = nullptr;
  Doubles2* a = nullptr;
  double scale = 0;
  std::uint64_t vectors = 0;
  std::uint32_t passes = 1;
};

/// The 16 bytes that write kernels store at vector `index`: never zero throughout, and toggling
/// many bits, because memory that moves zeros draws less power.
constexpr Words4 generated(std::uint64_t index, std::uint32_t seed) {
  const std::uint32_t h = static_cast<std::uint32_t>(index) * 2654435761u + seed;
  return {h, h ^ 0x9e3779b9u, h + 0x7f4a7c15u, ~h};
}

/// Vectors of which mix kernels read the first k and write the others.
inline constexpr int mix_vectors = 8;

struct SharedRead {
  std::uint32_t* out = nullptr;  ///< one for each thread: sum of the words it read
  std::uint32_t ways = 1;        ///< bank conflict degree, a power of two up to 32
  std::uint32_t iterations = 0;  ///< of shared_read_unroll loads
};
inline constexpr int shared_read_unroll = 16;
inline constexpr std::uint32_t shared_read_rows = 16;  ///< start rows that iterations cycle through
/// What word i of the shared array holds.
constexpr std::uint32_t shared_word(std::uint32_t i) {
  return i * 2654435761u + 12345u;
}

/// out(j, i) = in(i, j) for a row-major matrix.
struct Transpose {
  const std::uint32_t* in = nullptr;
  std::uint32_t* out = nullptr;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
};
inline constexpr unsigned transpose_tile = 32;
inline constexpr unsigned transpose_block_rows = 8;  ///< block variant: 32 x 8 threads

/// Chains of x = x * multiplier + addend. With -1 and 1 every second value is the first again.
struct FmaChains {
  double* out = nullptr;  ///< one for each thread: sum over its chains (and over pairs)
  float multiplier = -1;
  float addend = 1;
  std::uint32_t loops = 0;  ///< of fma_rounds rounds over all chains
};
inline constexpr int fma_chains = 8;
inline constexpr int fma_rounds = 32;
/// Where chain `chain` of thread `thread` starts: a multiple of 1/64 in [0, 1), exact in every
/// type.
constexpr float fma_start(std::uint32_t thread, std::uint32_t chain) {
  return static_cast<float>((thread * 7u + chain * 13u + 1u) % 64u) / 64.0f;
}

/// Dependent loads: next[i] is the index to load after i.
struct PointerChase {
  const std::uint32_t* next = nullptr;
  const std::uint32_t* starts = nullptr;  ///< one for each thread and chain
  std::uint32_t* ends = nullptr;          ///< where each chain is after `steps` loads
  std::uint32_t steps = 0;
};

/// Each step adds both neighbours on a ring: b[i] = a[i-1] + a[i+1], then a and b change places.
/// A grid barrier parts the steps.
struct GridExchange {
  std::uint32_t* a = nullptr;
  std::uint32_t* b = nullptr;
  std::uint32_t size = 0;
  std::uint32_t steps = 0;
};

}  // namespace hpclab::roofline::ceilings
