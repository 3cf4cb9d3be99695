// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Contraction of a line of values, held in registers, with a one-dimensional matrix. The matrix is
// a kernel parameter: with every loop unrolled its elements are operands in constant memory, and
// cost neither registers nor shared memory.
#pragma once

#include "cuda/core/multiply_add.cuh"
#include "operators/even_odd_shape.hpp"

namespace hpclab::operators {

namespace device = hpclab::cuda;

/// A matrix of `rows` x `columns` in the order of packed() in operators/even_odd.hpp.
template <int row_count, int column_count, Symmetry symmetry, bool even_odd>
struct Matrix1D {
  static constexpr int rows = row_count;
  static constexpr int columns = column_count;
  static constexpr int size = coefficients(rows, columns, symmetry, even_odd);

  /// out = matrix in
  template <class T>
  static HPCLAB_INLINE_DEVICE void apply(const T* values, const T (&in)[columns], T (&out)[rows]) {
    if constexpr (even_odd) {
      halves<false>(values, in, out);
    } else {
      dense<false>(values, in, out);
    }
  }

  /// out = transposed matrix in
  template <class T>
  static HPCLAB_INLINE_DEVICE void apply_transposed(const T* values, const T (&in)[rows],
                                                    T (&out)[columns]) {
    if constexpr (even_odd) {
      halves<true>(values, in, out);
    } else {
      dense<true>(values, in, out);
    }
  }

 private:
  template <bool transposed, class T, int inputs, int outputs>
  static HPCLAB_INLINE_DEVICE void dense(const T* values, const T (&in)[inputs],
                                         T (&out)[outputs]) {
    HPCLAB_UNROLL
    for (int o = 0; o < outputs; ++o) {
      T sum = 0;
      HPCLAB_UNROLL
      for (int i = 0; i < inputs; ++i)
        sum = device::fused_multiply_add(values[transposed ? o * rows + i : i * rows + o], in[i],
                                         sum);
      out[o] = sum;
    }
  }

  // Sums and differences of mirrored inputs; the part of the output that reflection leaves alone
  // comes from one of them, the part that changes its sign from the other.
  template <bool transposed, class T, int inputs, int outputs>
  static HPCLAB_INLINE_DEVICE void halves(const T* values, const T (&in)[inputs],
                                          T (&out)[outputs]) {
    constexpr int pairs = inputs / 2;
    constexpr int pairs_out = outputs / 2;
    T sums[pairs + 1], differences[pairs + 1];
    HPCLAB_UNROLL
    for (int i = 0; i < pairs; ++i) {
      sums[i] = in[i] + in[inputs - 1 - i];
      differences[i] = in[i] - in[inputs - 1 - i];
    }
    sums[pairs] = in[pairs];  // the middle one of an odd number
    constexpr bool crossed = symmetry == Symmetry::odd;
    constexpr int sum_terms = inputs - pairs;
    HPCLAB_UNROLL
    for (int o = 0; o < outputs - pairs_out; ++o) {
      const T kept = part < transposed, transposed || !crossed,
              crossed ? pairs : sum_terms > (values, o, crossed ? differences : sums);
      if (o >= pairs_out) {
        out[o] = kept;
      } else {
        const T changed = part < transposed, !transposed && crossed,
                crossed ? sum_terms : pairs > (values, o, crossed ? sums : differences);
        out[o] = kept + changed;
        out[outputs - 1 - o] = kept - changed;
      }
    }
  }

  // Output `o` of the half that multiplies sums (or differences) of mirrored columns. Transposed,
  // its outputs are the part that reflection leaves alone (or changes), whatever the symmetry.
  template <bool transposed, bool of_sums, int terms, class T>
  static HPCLAB_INLINE_DEVICE T part(const T* values, int o, const T* in) {
    constexpr int even = even_rows(rows, symmetry);
    constexpr int both = even + odd_rows(rows, symmetry);
    T sum = 0;
    HPCLAB_UNROLL
    for (int i = 0; i < terms; ++i) {
      const int at = (transposed ? o * both + i : i * both + o) + (of_sums ? 0 : even);
      sum = device::fused_multiply_add(values[at], in[i], sum);
    }
    return sum;
  }
};

}  // namespace hpclab::operators
