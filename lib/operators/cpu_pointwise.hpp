// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What happens at a quadrature point: the metric times the gradient, with the metric from where the
// geometry keeps it. Included by files of one instruction set, hence internal linkage.
#pragma once

#include "operators/cpu_batch.hpp"

namespace hpclab::operators {
namespace {

// G (x, y, z) for symmetric G = (xx, xy, xz, yy, yz, zz).
template <typename V>
[[gnu::always_inline]] inline void multiply_metric(const typename V::Register* metric,
                                                   typename V::Register& x, typename V::Register& y,
                                                   typename V::Register& z) {
  using Register = typename V::Register;
  const Register a =
      V::multiply_add(metric[0], x, V::multiply_add(metric[1], y, V::multiply(metric[2], z)));
  const Register b =
      V::multiply_add(metric[1], x, V::multiply_add(metric[3], y, V::multiply(metric[4], z)));
  const Register c =
      V::multiply_add(metric[2], x, V::multiply_add(metric[4], y, V::multiply(metric[5], z)));
  x = a;
  y = b;
  z = c;
}

// Entries off the diagonal, which are used twice, are kept in registers.
template <typename V>
[[gnu::always_inline]] inline void load_metric(const typename V::Scalar* from,
                                               typename V::Register* metric) {
#pragma GCC unroll 6
  for (int entry = 0; entry < 6; ++entry) {
    metric[entry] = V::load(from + entry * V::lanes);
    if (entry == 1 || entry == 2 || entry == 4) metric[entry] = V::hold(metric[entry]);
  }
}

// Each policy is made for a batch, moved to a row of points (j, k), and applied to point i of it.

// [point][6][lane]; all geometry is laid out for the lanes of a register
template <typename V>
class StoredMetric {
 public:
  using Scalar = typename V::Scalar;
  using Register = typename V::Register;
  explicit StoredMetric(const Batch<Scalar>& b) : start_(b.geometry), points_(b.points) {}
  void row(int j, int k) { row_ = start_ + (k * points_ + j) * points_ * 6 * V::lanes; }
  [[gnu::always_inline]] void apply(int i, Register& x, Register& y, Register& z) const {
    Register metric[6];
    load_metric<V>(row_ + i * 6 * V::lanes, metric);
    multiply_metric<V>(metric, x, y, z);
  }

 private:
  const Scalar* start_;
  const Scalar* row_ = nullptr;
  int points_;
};

// [6][lane], times the weight of the point. Read for each point: beside a line, the registers do
// not suffice for it.
template <typename V>
class AffineMetric {
 public:
  using Scalar = typename V::Scalar;
  using Register = typename V::Register;
  explicit AffineMetric(const Batch<Scalar>& b) : weights_(b.tables->weights), start_(b.geometry) {}
  void row(int j, int k) { row_weight_ = weights_[j] * weights_[k]; }
  [[gnu::always_inline]] void apply(int i, Register& x, Register& y, Register& z) const {
    const Register weight = V::broadcast(row_weight_ * weights_[i]);
    x = V::multiply(weight, x);
    y = V::multiply(weight, y);
    z = V::multiply(weight, z);
    Register metric[6];
    load_metric<V>(start_, metric);
    multiply_metric<V>(metric, x, y, z);
  }

 private:
  const Scalar* weights_;
  const Scalar* start_;
  Scalar row_weight_ = 0;
};

// The map X(r, s, t) from the corners as a polynomial: coefficient bits say which of r, s, t it
// goes with.
template <typename V>
class Corners {
 public:
  using Scalar = typename V::Scalar;
  using Register = typename V::Register;
  explicit Corners(const Batch<Scalar>& b) : weights(b.tables->weights), points(b.tables->points) {
    for (int d = 0; d < 3; ++d) {
      Register c[8];
      for (int corner = 0; corner < 8; ++corner)
        c[corner] = V::load(b.geometry + (corner * 3 + d) * V::lanes);
      for (int bit = 1; bit < 8; bit *= 2)
        for (int corner = 0; corner < 8; ++corner)
          if ((corner & bit) == 0) {
            const Register low = c[corner], high = c[corner + bit];
            c[corner] = V::add(low, high);
            c[corner + bit] = V::subtract(high, low);
          }
      const Register eighth = V::broadcast(Scalar(0.125));
      for (int power = 0; power < 8; ++power)
        coefficient_[power][d] = V::multiply(eighth, c[power]);
    }
  }
  void row(int j, int k) {
    row_weight_ = weights[j] * weights[k];
    const Register s = V::broadcast(points[j]), t = V::broadcast(points[k]);
    for (int d = 0; d < 3; ++d) {
      const auto& c = coefficient_;
      // d/dr = c_r + c_rs s + c_rt t + c_rst s t, the same all along the row
      column_[0][d] = V::multiply_add(s, V::multiply_add(t, c[7][d], c[3][d]),
                                      V::multiply_add(t, c[5][d], c[1][d]));
      // d/ds and d/dt at r = 0 and their slopes by r
      column_[1][d] = V::multiply_add(t, c[6][d], c[2][d]);
      slope_[0][d] = V::multiply_add(t, c[7][d], c[3][d]);
      column_[2][d] = V::multiply_add(s, c[6][d], c[4][d]);
      slope_[1][d] = V::multiply_add(s, c[7][d], c[5][d]);
    }
  }
  // Columns 1 and 2 of the Jacobian at point i of the row; column 0 is column(0).
  [[gnu::always_inline]] void at(int i, Register* second, Register* third) const {
    const Register r = V::broadcast(points[i]);
    for (int d = 0; d < 3; ++d) {
      second[d] = V::multiply_add(r, V::spilled(slope_[0][d]), V::spilled(column_[1][d]));
      third[d] = V::multiply_add(r, V::spilled(slope_[1][d]), V::spilled(column_[2][d]));
    }
  }
  const Register* first() const { return column_[0]; }
  Scalar weight(int i) const { return row_weight_ * weights[i]; }

 private:
  const Scalar* weights;
  const Scalar* points;
  Register coefficient_[8][3];
  Register column_[3][3];
  Register slope_[2][3];
  Scalar row_weight_ = 0;
};

template <typename V>
[[gnu::always_inline]] inline void cross(const typename V::Register* a,
                                         const typename V::Register* b, typename V::Register* out) {
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    out[d] = V::multiply_subtract(a[e], b[f], V::multiply(a[f], b[e]));
  }
}

template <typename V>
[[gnu::always_inline]] inline typename V::Register dot(const typename V::Register* a,
                                                       const typename V::Register* b) {
  return V::multiply_add(a[0], b[0], V::multiply_add(a[1], b[1], V::multiply(a[2], b[2])));
}

// [8 corners][3][lane]; the columns of cofactors K give the metric K^T K / det.
template <typename V>
class TrilinearMetric {
 public:
  using Scalar = typename V::Scalar;
  using Register = typename V::Register;
  explicit TrilinearMetric(const Batch<Scalar>& b) : corners_(b) {}
  void row(int j, int k) { corners_.row(j, k); }
  [[gnu::always_inline]] void apply(int i, Register& x, Register& y, Register& z) const {
    const Register* first = corners_.first();
    Register second[3], third[3], kx[3], ky[3], kz[3], flux[3];
    corners_.at(i, second, third);
    cross<V>(second, third, kx);
    cross<V>(third, first, ky);
    cross<V>(first, second, kz);
    const Register scale = V::divide(V::broadcast(corners_.weight(i)), dot<V>(first, kx));
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d)
      flux[d] = V::multiply(
          scale, V::multiply_add(kx[d], x, V::multiply_add(ky[d], y, V::multiply(kz[d], z))));
    x = dot<V>(kx, flux);
    y = dot<V>(ky, flux);
    z = dot<V>(kz, flux);
  }

 private:
  Corners<V> corners_;
};

// Determinant times weight, for mass.
template <typename V>
class AffineDeterminant {
 public:
  using Scalar = typename V::Scalar;
  using Register = typename V::Register;
  explicit AffineDeterminant(const Batch<Scalar>& b)
      : weights_(b.tables->weights), determinant_(V::load(b.geometry)) {}
  void row(int j, int k) { row_weight_ = weights_[j] * weights_[k]; }
  Register at(int i) const {
    return V::multiply(V::broadcast(row_weight_ * weights_[i]), determinant_);
  }

 private:
  const Scalar* weights_;
  Register determinant_;
  Scalar row_weight_ = 0;
};

template <typename V>
class TrilinearDeterminant {
 public:
  using Scalar = typename V::Scalar;
  using Register = typename V::Register;
  explicit TrilinearDeterminant(const Batch<Scalar>& b) : corners_(b) {}
  void row(int j, int k) { corners_.row(j, k); }
  Register at(int i) const {
    Register second[3], third[3], kx[3];
    corners_.at(i, second, third);
    cross<V>(second, third, kx);
    return V::multiply(V::broadcast(corners_.weight(i)), dot<V>(corners_.first(), kx));
  }

 private:
  Corners<V> corners_;
};

}  // namespace
}  // namespace hpclab::operators
