// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The coefficients of a chain, and what it computes: the reference of every kernel.
#pragma once

#include "core/random_stream.hpp"
#include "cuda/roofline/fusion/arguments.hpp"
#include "roofline/fusion/chain.hpp"

#include <cmath>
#include <span>
#include <vector>

namespace hpclab::roofline::fusion {

/// Random steps of the chain. Scales are near +1 and -1, so that elements neither vanish nor
/// overflow in 128 steps and every one remembers where it began; nothing about them is known when
/// the kernels are compiled.
template <class T>
std::vector<Step<T>> make_steps(const ChainShape& shape, RandomStream random) {
  std::vector<Step<T>> steps;
  for (int i = 0; i < shape.operations; ++i) {
    Step<T> step;
    const double sign = random.uniform() < 0.5 ? -1 : 1;
    step.scale = static_cast<T>(sign * (0.97 + 0.06 * random.uniform()));
    step.shift = static_cast<T>(0.5 - random.uniform());
    step.operand = operand_of(shape, i);
    steps.push_back(step);
  }
  return steps;
}

/// The chain applied to element `i`; operands[0] is the chain's own input. One rounding a step.
template <class T>
T reference(std::span<const Step<T>> steps, const T* const* operands, std::size_t i) {
  T x = operands[0][i];
  for (const Step<T>& step : steps) {
    x = std::fma(x, step.scale, step.operand < 0 ? step.shift : operands[step.operand][i]);
  }
  return x;
}

}  // namespace hpclab::roofline::fusion
