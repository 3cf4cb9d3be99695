// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A chain of elementwise operations as one launch takes it. Plain data, the same for processor,
// device and emulator.
#pragma once

#include <cstdint>

namespace hpclab::roofline::fusion {

/// Operations that one launch can take: its arguments must fit 4 KiB.
inline constexpr int most_operations = 128;
/// Arrays that second inputs come from, besides the chain's own input.
inline constexpr int most_operand_arrays = 8;

/// One operation: x = scale x + shift where `operand` is negative, else x = scale x + the element
/// of that operand array. One multiply-add, rounded once on every machine, so that results are
/// equal to the last bit however the chain is cut.
template <class T>
struct Step {
  T scale = 1;
  T shift = 0;
  std::int32_t operand = -1;
};

/// Steps applied to every element of `in`, in order; the result goes to `out`. Arrays are aligned
/// to 16 bytes.
template <class T>
struct ChainLaunch {
  const T* in = nullptr;
  T* out = nullptr;
  const T* operands[most_operand_arrays + 1] = {};  ///< 0 is the chain's own input
  std::uint64_t elements = 0;
  std::int32_t count = 0;  ///< of steps
  Step<T> steps[most_operations] = {};
};

}  // namespace hpclab::roofline::fusion
