// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A pass of the chain, written once over a vector type. chain_avx2.cpp and chain_avx512.cpp define
// vectors in an anonymous namespace and include this file; everything here has internal linkage.
//
// Vector has: Element, Register, lanes, few and many (registers under way), load, store,
// store_nontemporal, broadcast, multiply_add (x*y+z).
#pragma once

#include "roofline/fusion/chain_table.hpp"

#include <cstddef>

#include <immintrin.h>

namespace hpclab::roofline::fusion {
namespace {

// Elements `begin` to `end`, `registers` of them at a time through all steps. Where one is stored
// its successor is loaded, so that loads and stores alternate line by line as in a copy: in bursts
// of a kilobyte, stores through the caches lose a third of their bandwidth (measured on Zen 4).
template <typename V, std::size_t registers, bool nontemporal>
[[gnu::always_inline]] inline void tiles(const PassArguments<typename V::Element>& pass,
                                         std::size_t begin, std::size_t end) {
  using Element = typename V::Element;
  constexpr std::size_t tile = registers * V::lanes;
  const Element* in = pass.in + begin;
  Element* out = pass.out + begin;
  const Step<Element>* const last = pass.steps + pass.count;
  if (begin == end) return;
  typename V::Register x[registers];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < registers; ++r) x[r] = V::load(in + r * V::lanes);
  for (std::size_t at = begin; at != end; at += tile) {
    for (const Step<Element>* step = pass.steps; step != last; ++step) {
      const typename V::Register scale = V::broadcast(step->scale);
      if (step->operand < 0) {
        const typename V::Register shift = V::broadcast(step->shift);
#pragma GCC unroll 16
        for (std::size_t r = 0; r < registers; ++r) x[r] = V::multiply_add(x[r], scale, shift);
      } else {
        const Element* const y = pass.operands[step->operand] + at;
#pragma GCC unroll 16
        for (std::size_t r = 0; r < registers; ++r)
          x[r] = V::multiply_add(x[r], scale, V::load(y + r * V::lanes));
      }
    }
    if (at + tile != end) in += tile;  // the last tile is loaded once more, and not used
#pragma GCC unroll 16
    for (std::size_t r = 0; r < registers; ++r) {
      if constexpr (nontemporal) {
        V::store_nontemporal(out + r * V::lanes, x[r]);
      } else {
        V::store(out + r * V::lanes, x[r]);
      }
      x[r] = V::load(in + r * V::lanes);
    }
    out += tile;
    // One pointer an array: the compiler would keep one for each register.
    asm("" : "+r"(in), "+r"(out));
  }
}

// Short chains wait for memory, which likes few lines at a time; long ones for the multiply-add
// units, which need enough independent work to cover their latency on two pipes.
constexpr int long_chain = 20;

template <typename V, bool nontemporal>
void pass_body(const PassArguments<typename V::Element>& given) {
  const PassArguments<typename V::Element> pass = given;  // stores cannot change a copy
  const auto whole = [&](std::size_t registers) {
    const std::size_t tile = registers * V::lanes;
    return pass.elements / tile * tile;
  };
  std::size_t done = 0;
  if (V::few != V::many && pass.count < long_chain) {
    done = whole(V::few);
    tiles<V, V::few, nontemporal>(pass, 0, done);
  } else {
    done = whole(V::many);
    tiles<V, V::many, nontemporal>(pass, 0, done);
  }
  tiles<V, 1, nontemporal>(pass, done, pass.elements);
  // Non-temporal stores are ordered and drained before the clock is read.
  if constexpr (nontemporal) _mm_sfence();
}

}  // namespace
}  // namespace hpclab::roofline::fusion

#define HPCLAB_PASS_BODIES(Doubles, Floats)                  \
  {                                                          \
    {pass_body<Doubles, false>, pass_body<Doubles, true>}, { \
      pass_body<Floats, false>, pass_body<Floats, true>      \
    }                                                        \
  }
