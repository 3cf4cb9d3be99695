// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The fused multiply-add loop, written once over a vector type. Included inside no namespace by the
// peak_*.cpp of one instruction set; everything has internal linkage.
//
// Vector has: Register, lanes, broadcast(double), first(lane) (a register whose elements differ),
// multiply_add(x,y,z), add(x,y), sum(x) (of all elements, as double).
//
// A trip applies to every accumulator x -> p x + c and then x -> q x + c. With p = -1.2345, q =
// -0.8 the product is 0.9876 < 1, so from any start in (0, 2) the pair converges to a cycle of two
// normal numbers with unlike mantissas: no overflow, no denormal, and operand bits toggle at each
// instruction as they do in real work.
#pragma once

#include "roofline/ceilings/peak_table.hpp"

#include <cstddef>

namespace hpclab::roofline::ceilings {
namespace {

// Latency 4 and two pipes need 8 chains; 12 leave room for latency 5 to 6, and with the three
// constants fill 15 of the 16 registers of AVX2.
constexpr int peak_accumulators = 12;
constexpr int peak_steps = 2;

template <typename V>
double multiply_add_loop(std::size_t iterations) {
  typename V::Register x[peak_accumulators];
#pragma GCC unroll 12
  for (int i = 0; i < peak_accumulators; ++i) x[i] = V::first(i);
  const typename V::Register p = V::broadcast(-1.2345);
  const typename V::Register q = V::broadcast(-0.8);
  const typename V::Register c = V::broadcast(0.7);
  for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
#pragma GCC unroll 12
    for (int i = 0; i < peak_accumulators; ++i) x[i] = V::multiply_add(x[i], p, c);
#pragma GCC unroll 12
    for (int i = 0; i < peak_accumulators; ++i) x[i] = V::multiply_add(x[i], q, c);
  }
  double sum = 0;
#pragma GCC unroll 12
  for (int i = 0; i < peak_accumulators; ++i) sum += V::sum(x[i]);
  return sum;
}

template <typename V>
constexpr PeakBody multiply_add_body() {
  return {multiply_add_loop<V>, peak_accumulators, peak_steps * peak_accumulators, 2 * V::lanes};
}

}  // namespace
}  // namespace hpclab::roofline::ceilings
