// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Lines of a tensor contracted with a one-dimensional matrix, all in registers. Included by files
// of one instruction set, hence internal linkage.
#pragma once

#include "operators/cpu_batch.hpp"
#include "operators/even_odd_shape.hpp"

namespace hpclab::operators {
namespace {

// A size that is known when R is compiled (R > 0), or else the given one.
template <int R>
[[gnu::always_inline]] constexpr int size_of(int given) {
  return R > 0 ? R : given;
}
template <int R>
inline constexpr int room_for = R > 0 ? R : most_points + 2;

template <typename V, int N>
using Line = typename V::Register[room_for<N>];

// Numbers that a contraction reads. In memory they are loaded when they are needed, which leaves
// the registers to the sums.
template <typename V>
struct InMemory {
  const typename V::Scalar* start;
  int stride;  // in registers
  [[gnu::always_inline]] typename V::Register operator()(int c) const {
    return V::hold(V::load(start + c * stride * V::lanes));
  }
};
template <typename V>
struct InRegisters {
  const typename V::Register* line;
  [[gnu::always_inline]] typename V::Register operator()(int c) const { return line[c]; }
};

// Where the coefficients of a matrix come from while many lines are contracted with it.
enum class Coefficients { held_in_registers, broadcast };

template <typename V>
constexpr Coefficients best_for(int rows, int columns, Symmetry symmetry, bool even_odd) {
  return rows > 0 && fits_in_registers(rows, columns, symmetry, even_odd, V::registers)
             ? Coefficients::held_in_registers
             : Coefficients::broadcast;
}

// A packed matrix of R rows and C columns (0: sizes are read at run time).
template <typename V, int R, int C, Symmetry symmetry, bool even_odd,
          Coefficients from = best_for<V>(R, C, symmetry, even_odd)>
class LineMatrix {
 public:
  using Scalar = typename V::Scalar;
  using Register = typename V::Register;

  LineMatrix(const Scalar* packed, int rows, int columns)
      : packed_(packed), rows_(rows), columns_(columns) {
    if constexpr (held) {
#pragma GCC unroll 32
      for (int i = 0; i < count; ++i) held_[i] = V::hold(V::broadcast(packed[i]));
    }
  }

  // out = matrix in
  template <typename In>
  [[gnu::always_inline]] void contract(const In& in, Line<V, R>& out) const {
    const Scalar* matrix = packed_;
    // The compiler must not move broadcasts out of the loop over lines: it would spill them as
    // whole registers, where a broadcast from the packed matrix is part of a multiply-add.
    if constexpr (!held) asm volatile("" : "+r"(matrix));
    if constexpr (even_odd) {
      contract_even_odd(matrix, in, out);
    } else {
      contract_dense(matrix, in, out);
    }
  }

 private:
  static constexpr bool held = from == Coefficients::held_in_registers;
  static constexpr int count = held ? coefficients(R, C, symmetry, even_odd) : 1;

  // sums[r] (+)= coefficient of row r * x, for `rows` rows whose coefficients begin at `next`.
  [[gnu::always_inline]] void accumulate(const Scalar* matrix, int next, int rows, bool first,
                                         Register x, Register* sums) const {
#pragma GCC unroll 14
    for (int r = 0; r < rows; ++r) {
      Register a;
      if constexpr (held) {
        a = held_[next + r];
      } else {
        a = V::broadcast(matrix[next + r]);
      }
      sums[r] = first ? V::multiply(a, x) : V::multiply_add(a, x, sums[r]);
    }
  }

  // Columns outermost: as many independent sums as there are rows.
  template <typename In>
  [[gnu::always_inline]] void contract_dense(const Scalar* matrix, const In& in,
                                             Line<V, R>& out) const {
    const int rows = size_of<R>(rows_), columns = size_of<C>(columns_);
#pragma GCC unroll 14
    for (int c = 0; c < columns; ++c) accumulate(matrix, c * rows, rows, c == 0, in(c), out);
  }

  // out[r] = E + O and out[R-1-r] = +-(E - O), where E comes from the sums in[c] + in[C-1-c] and O
  // from the differences; at least 2 rows and columns.
  template <typename In>
  [[gnu::always_inline]] void contract_even_odd(const Scalar* matrix, const In& in,
                                                Line<V, R>& out) const {
    const int rows = size_of<R>(rows_), columns = size_of<C>(columns_);
    const int evens = even_rows(rows, symmetry), odds = odd_rows(rows, symmetry);
    Register even[room_for<R> / 2 + 1], odd[room_for<R> / 2 + 1];
#pragma GCC unroll 8
    for (int c = 0; c < columns / 2; ++c) {
      const Register low = in(c), high = in(columns - 1 - c);
      const int next = c * (evens + odds);
      accumulate(matrix, next, evens, c == 0, V::add(low, high), even);
      accumulate(matrix, next + evens, odds, c == 0, V::subtract(low, high), odd);
    }
    if (columns % 2 != 0)
      accumulate(matrix, columns / 2 * (evens + odds), evens, false, in(columns / 2), even);
#pragma GCC unroll 8
    for (int r = 0; r < rows / 2; ++r) {
      out[r] = V::add(even[r], odd[r]);
      out[rows - 1 - r] =
          symmetry == Symmetry::even ? V::subtract(even[r], odd[r]) : V::subtract(odd[r], even[r]);
    }
    if (rows % 2 != 0) out[rows / 2] = symmetry == Symmetry::even ? even[rows / 2] : odd[rows / 2];
  }

  const Scalar* packed_;
  int rows_, columns_;
  Register held_[count];
};

// Lanes of a batch in memory: a constant where one register holds them all.
template <typename V>
[[gnu::always_inline]] constexpr int memory_lanes(int given) {
  return V::lanes * sizeof(typename V::Scalar) == 64 ? V::lanes : given;
}

template <typename V, int N>
[[gnu::always_inline]] inline void store_line(typename V::Scalar* to, int stride,
                                              const Line<V, N>& line, int size) {
  const int n = size_of<N>(size);
#pragma GCC unroll 14
  for (int i = 0; i < n; ++i) V::store(to + i * stride * V::lanes, line[i]);
}

// line += numbers in memory
template <typename V, int N>
[[gnu::always_inline]] inline void add_line(const typename V::Scalar* from, int stride,
                                            Line<V, N>& line, int size) {
  const int n = size_of<N>(size);
#pragma GCC unroll 14
  for (int i = 0; i < n; ++i) line[i] = V::add(line[i], V::load(from + i * stride * V::lanes));
}

}  // namespace
}  // namespace hpclab::operators
