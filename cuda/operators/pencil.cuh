// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One thread for each line of an element: points^2 threads, each with a whole line in registers,
// which it contracts with a matrix in constant memory and puts back where it was. Shared memory
// only turns lines of one direction into lines of another, so that a sweep costs one load and one
// store a value, whatever the degree.
#pragma once

#include "cuda/operators/cube_lines.cuh"
#include "cuda/operators/element_access.cuh"
#include "cuda/operators/geometry.cuh"
#include "cuda/operators/pencil_shape.hpp"

namespace hpclab::operators {

/// `points` is at least `nodes`; sweeps as in ElementOperator. Dynamic shared memory: the first
/// cubes of all elements of the block, then (but for mass) the second ones.
template <class T, int nodes, int points, bool mass, int sweeps, int geometry, bool even_odd>
struct Pencil {
  static_assert(points >= nodes);
  using Lines = CubeLines<T, points>;
  using Interpolation = Matrix1D<points, nodes, Symmetry::even, even_odd>;
  using Derivative = Matrix1D<points, points, Symmetry::odd, even_odd>;
  using NodeDerivative = Matrix1D<points, nodes, Symmetry::odd, even_odd>;
  static constexpr int threads = points * points;
  static constexpr int row = Lines::layout.row;
  static constexpr int plane = Lines::layout.plane;

  const ElementArguments<T>& a;
  const ElementMatrices<T>& matrices;
  ElementSlot<T> slot;
  int thread;
  T* first;
  T* second;

  HPCLAB_INLINE_DEVICE Pencil(const ElementArguments<T>& arguments, const ElementMatrices<T>& m)
      : a(arguments),
        matrices(m),
        slot(arguments),
        thread(static_cast<int>(device::thread_index().x)),
        first(device::dynamic_shared<T>() + Lines::layout.element * device::thread_index().y),
        second(first + Lines::layout.element * device::block_size().y) {}

  HPCLAB_INLINE_DEVICE void load(T (&line)[nodes]) const {
    HPCLAB_UNROLL
    for (int k = 0; k < nodes; ++k)
      line[k] = slot.active ? load_node<nodes>(a, slot.element, thread + nodes * nodes * k) : T(0);
  }
  HPCLAB_INLINE_DEVICE void put(const T (&line)[nodes]) const {
    if (!slot.active) return;
    HPCLAB_UNROLL
    for (int k = 0; k < nodes; ++k)
      put_node<nodes>(a, slot.element, thread + nodes * nodes * k, line[k]);
  }

  /// Nodes from global memory to the lines along z of the first cube.
  HPCLAB_INLINE_DEVICE void stage_nodes() const {
    const int z = Lines::template along_z<nodes, nodes>(thread);
    if (z < 0) return;
    T line[nodes];
    load(line);
    Lines::template write<plane>(first + z, line);
  }
  HPCLAB_INLINE_DEVICE void put_staged_nodes() const {
    const int z = Lines::template along_z<nodes, nodes>(thread);
    if (z < 0) return;
    T line[nodes];
    Lines::template read<plane>(first + z, line);
    put(line);
  }

  /// Calls body with the geometry at the points of this thread's line along z.
  template <class Body>
  HPCLAB_INLINE_DEVICE void at_points(const Body& body) const {
    if (!slot.active) return;
    with_point_line<T, points, mass, geometry>(a, matrices, slot.element, thread % points,
                                               thread / points, body);
  }

  /// From the nodes in `from` to this thread's line of points along z, by one matrix a direction,
  /// in the cube `to`. Begins behind a barrier.
  template <class X, class Y, class Z>
  HPCLAB_INLINE_DEVICE void to_points(const T* by_x, const T* by_y, const T* by_z, const T* from,
                                      T* to, T (&line)[points]) const {
    const int x = Lines::template along_x<nodes, nodes>(thread);
    if (x >= 0) Lines::template contract<X, 1>(by_x, from + x, to + x);
    sync_element<threads>();
    const int y = Lines::template along_y<points, nodes>(thread);
    if (y >= 0) Lines::template contract<Y, row>(by_y, to + y, to + y);
    sync_element<threads>();
    const int z = Lines::template along_z<points, points>(thread);
    T in[nodes];
    Lines::template read<plane>(to + z, in);
    Z::apply(by_z, in, line);
  }

  /// The transpose up to the last sweep: afterwards, behind a barrier, lines along x of `cube` are
  /// to be contracted with the transpose of X.
  template <class Y, class Z>
  HPCLAB_INLINE_DEVICE void to_x_lines(const T* by_y, const T* by_z, const T (&line)[points],
                                       T* cube) const {
    const int z = Lines::template along_z<points, points>(thread);
    T out[nodes];
    Z::apply_transposed(by_z, line, out);
    Lines::template write<plane>(cube + z, out);
    sync_element<threads>();
    const int y = Lines::template along_y<points, nodes>(thread);
    if (y >= 0) Lines::template contract_transposed<Y, row>(by_y, cube + y);
    sync_element<threads>();
  }

  /// Gradient by collocation, metric, and the gradient's transpose on this thread's line along z:
  /// `line` becomes the result. The cubes are free afterwards but for this thread's lines.
  HPCLAB_INLINE_DEVICE void collocated_laplacian(const T* derivative, T (&line)[points]) const {
    const int z = Lines::template along_z<points, points>(thread);
    Lines::template write<plane>(first + z, line);
    T by_z[points];
    Derivative::apply(derivative, line, by_z);
    sync_element<threads>();
    const int x = Lines::template along_x<points, points>(thread);
    Lines::template contract<Derivative, 1>(derivative, first + x, second + x);
    sync_element<threads>();
    const int y = Lines::template along_y<points, points>(thread);
    Lines::template contract<Derivative, row>(derivative, first + y, first + y);
    sync_element<threads>();
    at_points([&](const auto& point) {
      HPCLAB_UNROLL
      for (int k = 0; k < points; ++k) {
        T by_x = second[z + plane * k];
        T by_y = first[z + plane * k];
        point.apply(matrices, k, by_x, by_y, by_z[k]);
        second[z + plane * k] = by_x;
        first[z + plane * k] = by_y;
      }
    });
    sync_element<threads>();
    Lines::template contract_transposed<Derivative, 1>(derivative, second + x);
    Lines::template contract_transposed<Derivative, row>(derivative, first + y);
    Derivative::apply_transposed(derivative, by_z, line);
    sync_element<threads>();
    HPCLAB_UNROLL
    for (int k = 0; k < points; ++k) line[k] += second[z + plane * k] + first[z + plane * k];
  }

  HPCLAB_INLINE_DEVICE void apply_mass() const {
    const T* interpolation = matrices.values;
    stage_nodes();
    sync_element<threads>();
    T line[points];
    to_points<Interpolation, Interpolation, Interpolation>(interpolation, interpolation,
                                                           interpolation, first, first, line);
    at_points([&](const auto& point) {
      HPCLAB_UNROLL
      for (int k = 0; k < points; ++k) line[k] = point.apply(matrices, k, line[k]);
    });
    to_x_lines<Interpolation, Interpolation>(interpolation, interpolation, line, first);
    const int x = Lines::template along_x<nodes, nodes>(thread);
    if (x >= 0) Lines::template contract_transposed<Interpolation, 1>(interpolation, first + x);
    sync_element<threads>();
    put_staged_nodes();
  }

  HPCLAB_INLINE_DEVICE void apply_6_sweeps() const {
    T line[points];
    load(line);
    collocated_laplacian(matrices.values, line);
    put(line);
  }

  HPCLAB_INLINE_DEVICE void apply_12_sweeps() const {
    const T* interpolation = matrices.values;
    stage_nodes();
    sync_element<threads>();
    T line[points];
    to_points<Interpolation, Interpolation, Interpolation>(interpolation, interpolation,
                                                           interpolation, first, first, line);
    collocated_laplacian(interpolation + Interpolation::size, line);
    to_x_lines<Interpolation, Interpolation>(interpolation, interpolation, line, first);
    const int x = Lines::template along_x<nodes, nodes>(thread);
    if (x >= 0) Lines::template contract_transposed<Interpolation, 1>(interpolation, first + x);
    sync_element<threads>();
    put_staged_nodes();
  }

  /// Every component of the gradient by three sweeps from the nodes, and back the same way.
  HPCLAB_INLINE_DEVICE void apply_18_sweeps() const {
    using B = Interpolation;
    using D = NodeDerivative;
    const T* b = matrices.values;
    const T* d = b + B::size;
    stage_nodes();
    sync_element<threads>();
    T by_x[points], by_y[points], by_z[points];
    to_points<D, B, B>(d, b, b, first, second, by_x);
    sync_element<threads>();
    to_points<B, D, B>(b, d, b, first, second, by_y);
    sync_element<threads>();
    to_points<B, B, D>(b, b, d, first, second, by_z);
    at_points([&](const auto& point) {
      HPCLAB_UNROLL
      for (int k = 0; k < points; ++k) point.apply(matrices, k, by_x[k], by_y[k], by_z[k]);
    });
    const int x = Lines::template along_x<nodes, nodes>(thread);
    T sum[nodes];
    to_x_lines<B, B>(b, b, by_x, second);
    if (x >= 0) add_transposed<D, true>(d, second + x, sum);
    sync_element<threads>();
    to_x_lines<D, B>(d, b, by_y, second);
    if (x >= 0) add_transposed<B, false>(b, second + x, sum);
    sync_element<threads>();
    to_x_lines<B, D>(b, d, by_z, second);
    if (x >= 0) {
      add_transposed<B, false>(b, second + x, sum);
      Lines::template write<1>(first + x, sum);
    }
    sync_element<threads>();
    put_staged_nodes();
  }

 private:
  template <class Matrix, bool is_first>
  HPCLAB_INLINE_DEVICE void add_transposed(const T* matrix, const T* start, T (&sum)[nodes]) const {
    T in[points], out[nodes];
    Lines::template read<1>(start, in);
    Matrix::apply_transposed(matrix, in, out);
    HPCLAB_UNROLL
    for (int i = 0; i < nodes; ++i) sum[i] = is_first ? out[i] : sum[i] + out[i];
  }
};

template <class T, int nodes, int points, bool mass, int sweeps, int geometry, bool even_odd,
          int blocks>
HPCLAB_KERNEL void HPCLAB_LAUNCH_BOUNDS(pencil_register_threads(sizeof(T), points, sweeps), blocks)
    pencil_kernel(HPCLAB_CONSTANT_PARAMETER ElementArguments<T> a,
                  HPCLAB_CONSTANT_PARAMETER ElementMatrices<T> m) {
  const Pencil<T, nodes, points, mass, sweeps, geometry, even_odd> pencil(a, m);
  if constexpr (mass) {
    pencil.apply_mass();
  } else if constexpr (sweeps == 6) {
    pencil.apply_6_sweeps();
  } else if constexpr (sweeps == 12) {
    pencil.apply_12_sweeps();
  } else {
    pencil.apply_18_sweeps();
  }
}

}  // namespace hpclab::operators
