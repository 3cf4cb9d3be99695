// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The bandwidth kernels, written once over a vector type. Each of
// bandwidth_{scalar,avx2,avx512}.cpp defines its `Vector` in an anonymous namespace and includes
// this file; everything here has internal linkage, so that no function compiled for one instruction
// set can be linked into another's path.
//
// Vector has: Register, lanes (doubles), load, store, store_nontemporal, broadcast, multiply,
// multiply_add (x*y+z), keep (tells the compiler that a value is used, without an instruction).
#pragma once

#include "roofline/ceilings/bandwidth_table.hpp"

#include <cstddef>

#include <emmintrin.h>

namespace hpclab::roofline::ceilings {
namespace {

constexpr std::size_t line_doubles = 8;
// Cache lines per trip: enough for the loop's own instructions to vanish beside one line a cycle.
constexpr std::size_t usual_unroll = 8;
constexpr std::size_t read_unroll = 16;

// Applies `line(i)` to every element index i that starts a cache line, `repeats` times over.
template <std::size_t unroll = usual_unroll, typename Line>
[[gnu::always_inline]] inline void sweep(std::size_t doubles, std::size_t repeats, Line line) {
  constexpr std::size_t trip = unroll * line_doubles;
  const std::size_t whole_trips = doubles / trip * trip;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i != whole_trips; i += trip) {
#pragma GCC unroll 16
      for (std::size_t u = 0; u < unroll; ++u) line(i + u * line_doubles);
    }
    for (std::size_t i = whole_trips; i != doubles; i += line_doubles) line(i);
    // The compiler must not merge passes: after this it assumes that all memory may have changed
    // and been read.
    asm volatile("" ::: "memory");
  }
}

// Applies `vector(i)` to each register-sized piece of the cache line at element i.
template <typename V, typename Piece>
[[gnu::always_inline]] inline void line_pieces(std::size_t i, Piece piece) {
#pragma GCC unroll 8
  for (std::size_t lane = 0; lane < line_doubles; lane += V::lanes) piece(i + lane);
}

template <typename V, bool nontemporal>
[[gnu::always_inline]] inline void put(double* address, typename V::Register value) {
  if constexpr (nontemporal) {
    V::store_nontemporal(address, value);
  } else {
    V::store(address, value);
  }
}

// Non-temporal stores are ordered and drained before the clock is read.
template <bool nontemporal>
[[gnu::always_inline]] inline void drain() {
  if constexpr (nontemporal) _mm_sfence();
}

template <typename V>
void read(double*, const double* b, const double*, double, std::size_t doubles,
          std::size_t repeats) {
  sweep<read_unroll>(doubles, repeats, [=](std::size_t i) {
    line_pieces<V>(i, [=](std::size_t j) { V::keep(V::load(b + j)); });
  });
}

template <typename V, bool nontemporal>
void write(double* a, const double*, const double*, double s, std::size_t doubles,
           std::size_t repeats) {
  const typename V::Register value = V::broadcast(s);
  sweep(doubles, repeats, [=](std::size_t i) {
    line_pieces<V>(i, [=](std::size_t j) { put<V, nontemporal>(a + j, value); });
  });
  drain<nontemporal>();
}

template <typename V, bool nontemporal>
void copy(double* a, const double* b, const double*, double, std::size_t doubles,
          std::size_t repeats) {
  sweep(doubles, repeats, [=](std::size_t i) {
    line_pieces<V>(i, [=](std::size_t j) { put<V, nontemporal>(a + j, V::load(b + j)); });
  });
  drain<nontemporal>();
}

template <typename V, bool nontemporal>
void triad(double* a, const double* b, const double* c, double s, std::size_t doubles,
           std::size_t repeats) {
  const typename V::Register factor = V::broadcast(s);
  sweep(doubles, repeats, [=](std::size_t i) {
    line_pieces<V>(i, [=](std::size_t j) {
      put<V, nontemporal>(a + j, V::multiply_add(factor, V::load(c + j), V::load(b + j)));
    });
  });
  drain<nontemporal>();
}

template <typename V>
void update(double* a, const double*, const double*, double s, std::size_t doubles,
            std::size_t repeats) {
  const typename V::Register factor = V::broadcast(s);
  sweep(doubles, repeats, [=](std::size_t i) {
    line_pieces<V>(i, [=](std::size_t j) { V::store(a + j, V::multiply(factor, V::load(a + j))); });
  });
}

// Of each group of 8 lines, `reads` from b and 8-reads to a. The two are spread over the group so
// that loads and stores overlap in the store queue as they would in a stencil.
template <typename V, std::size_t reads>
void mix(double* a, const double* b, const double*, double s, std::size_t doubles,
         std::size_t repeats) {
  constexpr std::size_t writes = 8 - reads;
  const typename V::Register value = V::broadcast(s);
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    const double* source = b;
    double* target = a;
    for (std::size_t i = 0; i < doubles; i += 8 * line_doubles) {
#pragma GCC unroll 8
      for (std::size_t line = 0; line < 8; ++line) {
        const std::size_t reads_before = line * reads / 8;
        if ((line + 1) * reads / 8 > reads_before) {
          line_pieces<V>(reads_before * line_doubles,
                         [=](std::size_t j) { V::keep(V::load(source + j)); });
        } else {
          line_pieces<V>((line - reads_before) * line_doubles,
                         [=](std::size_t j) { V::store(target + j, value); });
        }
      }
      source += reads * line_doubles;
      target += writes * line_doubles;
    }
    asm volatile("" ::: "memory");
  }
}

}  // namespace
}  // namespace hpclab::roofline::ceilings

// The table of one instruction set, in the order of BandwidthKind.
#define HPCLAB_BANDWIDTH_TABLE(V)                                                             \
  {                                                                                           \
    read<V>, write<V, false>, write<V, true>, copy<V, false>, copy<V, true>, triad<V, false>, \
        triad<V, true>, update<V>, mix<V, 1>, mix<V, 2>, mix<V, 3>, mix<V, 4>, mix<V, 5>,     \
        mix<V, 6>, mix<V, 7>                                                                  \
  }
