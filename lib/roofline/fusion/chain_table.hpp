// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What the translation units of each instruction set export. No standard header beyond <cstddef>:
// this is included where wider instructions than the caller's CPU may be generated.
#pragma once

#include "cuda/roofline/fusion/arguments.hpp"

#include <cstddef>

namespace hpclab::roofline::fusion {

/// Elements of a cache line: every kernel works on whole lines.
template <class T>
inline constexpr std::size_t line_elements = 64 / sizeof(T);

/// `count` steps applied to elements 0 to `elements` of `in`, a multiple of line_elements; the
/// result goes to `out`. Arrays are aligned to 64 B, and `out` is none of those that are read.
template <class T>
struct PassArguments {
  const T* in = nullptr;
  T* out = nullptr;
  const T* const* operands = nullptr;
  const Step<T>* steps = nullptr;
  int count = 0;
  std::size_t elements = 0;
};

template <class T>
using PassBody = void (*)(const PassArguments<T>& pass);

/// Bodies with plain and with non-temporal stores.
struct PassBodies {
  PassBody<double> fp64[2];
  PassBody<float> fp32[2];
};

extern const PassBodies pass_bodies_avx2;
extern const PassBodies pass_bodies_avx512;

}  // namespace hpclab::roofline::fusion
