// hpclab: SPDX-License-Identifier: Apache-2.0
//
// IEEE binary16 and bfloat16 as bits, for filling caches, for the reference and for processors
// without instructions. Internal linkage: included where other instructions may be generated.
#pragma once

#include <cstdint>

namespace hpclab::kvcache::decode {
namespace {

[[maybe_unused]] inline float float_of_bits(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

[[maybe_unused]] inline float from_bfloat(std::uint16_t x) {
  return float_of_bits(std::uint32_t{x} << 16);
}

[[maybe_unused]] inline float from_half(std::uint16_t x) {
  const std::uint32_t sign = std::uint32_t{x & 0x8000u} << 16;
  // Exponent and fraction as of a float 2^112 times smaller; the product is exact, also for
  // subnormals. Infinities and NaN are not in caches.
  const float scaled = float_of_bits(std::uint32_t{x & 0x7fffu} << 13) * 0x1p112f;
  return float_of_bits(sign | __builtin_bit_cast(std::uint32_t, scaled));
}

/// Nearest, ties to even; |x| below 65520.
[[maybe_unused]] inline std::uint16_t to_half(float x) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const float magnitude = float_of_bits(bits & 0x7fffffffu);
  if (magnitude < 0x1p-14f) {
    // Subnormal: a multiple of 2^-24. Adding 1/2 leaves it in the last bits, rounded.
    const std::uint32_t sum = __builtin_bit_cast(std::uint32_t, magnitude + 0.5f);
    return static_cast<std::uint16_t>(sign | (sum - 0x3f000000u));
  }
  std::uint32_t m = bits & 0x7fffffffu;
  m += 0xfffu + (m >> 13 & 1u);
  return static_cast<std::uint16_t>(sign | ((m - (112u << 23)) >> 13));
}

/// Nearest, ties to even.
[[maybe_unused]] inline std::uint16_t to_bfloat(float x) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace
}  // namespace hpclab::kvcache::decode
