// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Random numbers in the formats of tensor cores.
#include "cuda/roofline/ceilings/tensor_multiply.hpp"

#include <cmath>
#include <cstring>

namespace hpclab::roofline::ceilings {
namespace {

// Sign, exponent and significand of a floating-point format.
struct Format {
  int bytes;
  int exponent_bits;
  int significand_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

Format format_of(TensorPrecision precision) {
  switch (precision) {
    case TensorPrecision::fp64:
      return {8, 11, 52};
    case TensorPrecision::tf32:
      return {4, 8, 23};  // stored as fp32; the units read 10 bits of the significand
    case TensorPrecision::bf16:
      return {2, 8, 7};
    case TensorPrecision::fp16:
      return {2, 5, 10};
    case TensorPrecision::fp8:
      return {1, 4, 3};
    case TensorPrecision::int8:
      break;
  }
  return {1, 0, 7};
}

// splitmix64 of the index: any element can be made alone.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15u + (index + 1) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

const char* name_of(TensorPrecision precision) {
  switch (precision) {
    case TensorPrecision::fp64:
      return "fp64";
    case TensorPrecision::tf32:
      return "tf32";
    case TensorPrecision::bf16:
      return "bf16";
    case TensorPrecision::fp16:
      return "fp16";
    case TensorPrecision::fp8:
      return "fp8";
    case TensorPrecision::int8:
      break;
  }
  return "int8";
}

std::size_t element_bytes(TensorPrecision precision) {
  return static_cast<std::size_t>(format_of(precision).bytes);
}

std::vector<std::uint8_t> random_elements(TensorPrecision precision, std::size_t count,
                                          std::uint64_t seed) {
  const Format format = format_of(precision);
  const auto bytes = static_cast<std::size_t>(format.bytes);
  std::vector<std::uint8_t> elements(count * bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t random = random_bits(seed, i);
    std::uint64_t element = random >> 56;
    if (precision != TensorPrecision::int8) {
      const std::uint64_t sign = random & 1;
      const auto exponent = static_cast<std::uint64_t>(format.bias()) - (random >> 1 & 3);
      const std::uint64_t significand =
          random >> 8 & ((std::uint64_t{1} << format.significand_bits) - 1);
      element = (sign << (format.exponent_bits + format.significand_bits)) |
                (exponent << format.significand_bits) | significand;
    }
    std::memcpy(elements.data() + i * bytes, &element, bytes);  // little-endian, as CUDA's hosts
  }
  return elements;
}

double element_value(TensorPrecision precision, const std::uint8_t* elements, std::size_t index) {
  const Format format = format_of(precision);
  if (precision == TensorPrecision::int8) return static_cast<std::int8_t>(elements[index]);
  std::uint64_t element = 0;
  std::memcpy(&element, elements + index * static_cast<std::size_t>(format.bytes),
              static_cast<std::size_t>(format.bytes));
  const std::uint64_t significand = element & ((std::uint64_t{1} << format.significand_bits) - 1);
  const auto exponent = static_cast<int>(element >> format.significand_bits &
                                         ((std::uint64_t{1} << format.exponent_bits) - 1));
  const double magnitude =
      std::ldexp(1 + std::ldexp(static_cast<double>(significand), -format.significand_bits),
                 exponent - format.bias());
  return element >> (format.exponent_bits + format.significand_bits) ? -magnitude : magnitude;
}

}  // namespace hpclab::roofline::ceilings
