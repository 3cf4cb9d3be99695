// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Chained hashes: the id of a block stands for its content and for everything before it. 64 bits;
// two of n blocks collide with a probability of about n^2 / 2^65.
#pragma once

#include <cstdint>

namespace hpclab::kvcache::requests {

inline constexpr std::uint64_t chain_root = 0x243F6A8885A308D3u;  // digits of pi

/// The chain after one more item: a bijection of the chain for every item and of the item for every
/// chain (the finaliser of splitmix64: Steele, Lea & Flood, "Fast splittable pseudorandom number
/// generators", 2014).
constexpr std::uint64_t chained(std::uint64_t chain, std::uint64_t item) {
  std::uint64_t z = (chain ^ item) + 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace hpclab::kvcache::requests
