// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Lines of a cube of values in shared memory: which thread has which, and their contraction in
// place. Each line belongs to one thread at a time, so that only a change of direction needs a
// barrier.
#pragma once

#include "cuda/operators/contraction.cuh"
#include "cuda/operators/cube_layout.hpp"

namespace hpclab::operators {

/// Cubes of m^3 values of type T. Threads 0, 1, ... have one line each; a direction with fewer
/// lines than threads leaves the last threads without.
template <class T, int m>
struct CubeLines {
  static constexpr CubeLayout layout = cube_layout(m, sizeof(T));

  /// Where the line of `thread` along x starts among rows x planes lines; -1 without a line.
  template <int rows, int planes>
  static HPCLAB_INLINE_DEVICE int along_x(int thread) {
    if (thread >= rows * planes) return -1;
    return layout.planes_first ? layout.row * (thread / planes) + layout.plane * (thread % planes)
                               : layout.row * (thread % rows) + layout.plane * (thread / rows);
  }
  template <int columns, int planes>
  static HPCLAB_INLINE_DEVICE int along_y(int thread) {
    if (thread >= columns * planes) return -1;
    return thread % columns + layout.plane * (thread / columns);
  }
  template <int columns, int rows>
  static HPCLAB_INLINE_DEVICE int along_z(int thread) {
    if (thread >= columns * rows) return -1;
    return thread % columns + layout.row * (thread / columns);
  }

  template <int stride, int size>
  static HPCLAB_INLINE_DEVICE void read(const T* start, T (&line)[size]) {
    HPCLAB_UNROLL
    for (int i = 0; i < size; ++i) line[i] = start[stride * i];
  }
  template <int stride, int size>
  static HPCLAB_INLINE_DEVICE void write(T* start, const T (&line)[size]) {
    HPCLAB_UNROLL
    for (int i = 0; i < size; ++i) start[stride * i] = line[i];
  }

  /// Reads `columns` values (transposed: rows), writes the contracted `rows` (columns) to `to`.
  template <class Matrix, int stride>
  static HPCLAB_INLINE_DEVICE void contract(const T* matrix, const T* from, T* to) {
    T in[Matrix::columns], out[Matrix::rows];
    read<stride>(from, in);
    Matrix::apply(matrix, in, out);
    write<stride>(to, out);
  }
  template <class Matrix, int stride>
  static HPCLAB_INLINE_DEVICE void contract_transposed(const T* matrix, T* line) {
    T in[Matrix::rows], out[Matrix::columns];
    read<stride>(line, in);
    Matrix::apply_transposed(matrix, in, out);
    write<stride>(line, out);
  }
};

}  // namespace hpclab::operators
