// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What stands between the two halves of an operator, at the points (i, j, k) of a line in z:
// PointLine is made once for (i, j), then applied at each k. `points` is q, of a direction.
//   Laplacian: (r, s, t) -> weight det(J) J^-1 J^-T (r, s, t)
//   mass:      v -> weight det(J) v
#pragma once

#include "cuda/core/multiply_add.cuh"
#include "cuda/operators/arguments.hpp"

namespace hpclab::operators {

namespace device = hpclab::cuda;

template <class T>
struct Vector3 {
  T x, y, z;
};
template <class T>
HPCLAB_INLINE_DEVICE T dot(const Vector3<T>& a, const Vector3<T>& b) {
  return device::fused_multiply_add(a.z, b.z, device::fused_multiply_add(a.y, b.y, a.x * b.x));
}
template <class T>
HPCLAB_INLINE_DEVICE Vector3<T> cross(const Vector3<T>& a, const Vector3<T>& b) {
  return {device::fused_multiply_add(a.y, b.z, -(a.z * b.y)),
          device::fused_multiply_add(a.z, b.x, -(a.x * b.z)),
          device::fused_multiply_add(a.x, b.y, -(a.y * b.x))};
}
template <class T>
HPCLAB_INLINE_DEVICE Vector3<T> add_scaled(const Vector3<T>& a, T factor, const Vector3<T>& b) {
  return {device::fused_multiply_add(factor, b.x, a.x),
          device::fused_multiply_add(factor, b.y, a.y),
          device::fused_multiply_add(factor, b.z, a.z)};
}
template <class T>
HPCLAB_INLINE_DEVICE Vector3<T> scaled(T factor, const Vector3<T>& a) {
  return {factor * a.x, factor * a.y, factor * a.z};
}

/// Derivatives of the trilinear map at points (r, s, t) for fixed r and s: those by r and by s
/// change linearly with t, the one by t does not change.
template <class T>
struct TrilinearLine {
  Vector3<T> by_r, by_r_slope, by_s, by_s_slope, by_t;

  /// `corners` are [3][8] as in ElementArguments.
  static HPCLAB_INLINE_DEVICE TrilinearLine at(const T* corners, T r, T s) {
    TrilinearLine line;
    component(corners, r, s, line.by_r.x, line.by_r_slope.x, line.by_s.x, line.by_s_slope.x,
              line.by_t.x);
    component(corners + 8, r, s, line.by_r.y, line.by_r_slope.y, line.by_s.y, line.by_s_slope.y,
              line.by_t.y);
    component(corners + 16, r, s, line.by_r.z, line.by_r_slope.z, line.by_s.z, line.by_s_slope.z,
              line.by_t.z);
    return line;
  }

 private:
  // The map is a sum of 8 products of 1, r, s and t; the factor 1/8 comes from the corners' shape
  // functions (1 +- r)(1 +- s)(1 +- t) / 8.
  static HPCLAB_INLINE_DEVICE void component(const T* c, T r, T s, T& by_r, T& by_r_slope, T& by_s,
                                             T& by_s_slope, T& by_t) {
    const T bottom_sum = c[0] + c[1] + c[2] + c[3], top_sum = c[4] + c[5] + c[6] + c[7];
    const T bottom_r = c[1] - c[0] + (c[3] - c[2]), top_r = c[5] - c[4] + (c[7] - c[6]);
    const T bottom_s = c[2] - c[0] + (c[3] - c[1]), top_s = c[6] - c[4] + (c[7] - c[5]);
    const T bottom_rs = c[3] - c[2] - (c[1] - c[0]), top_rs = c[7] - c[6] - (c[5] - c[4]);
    const T eighth = T(0.125);
    const T one_r = eighth * (top_r + bottom_r), t_r = eighth * (top_r - bottom_r);
    const T one_s = eighth * (top_s + bottom_s), t_s = eighth * (top_s - bottom_s);
    const T one_rs = eighth * (top_rs + bottom_rs), t_rs = eighth * (top_rs - bottom_rs);
    const T t = eighth * (top_sum - bottom_sum);
    by_r = device::fused_multiply_add(s, one_rs, one_r);
    by_r_slope = device::fused_multiply_add(s, t_rs, t_r);
    by_s = device::fused_multiply_add(r, one_rs, one_s);
    by_s_slope = device::fused_multiply_add(r, t_rs, t_s);
    by_t = device::fused_multiply_add(r, device::fused_multiply_add(s, t_rs, t_r),
                                      device::fused_multiply_add(s, t_s, t));
  }
};

template <class T, int points, bool mass, Geometry geometry>
struct PointLine;

template <class T, int points>
struct PointLine<T, points, false, Geometry::stored> {
  const T* metric;

  HPCLAB_INLINE_DEVICE PointLine(const ElementArguments<T>& a, const ElementMatrices<T>&,
                                 std::uint32_t element, int i, int j)
      : metric(a.geometry + std::size_t{6 * points * points * points} * element + i + points * j) {}

  HPCLAB_INLINE_DEVICE void apply(const ElementMatrices<T>&, int k, T& r, T& s, T& t) const {
    constexpr int component = points * points * points;
    const T* g = metric + points * points * k;
    const T rr = g[0], rs = g[component], rt = g[2 * component];
    const T ss = g[3 * component], st = g[4 * component], tt = g[5 * component];
    const Vector3<T> gradient{r, s, t};
    r = dot({rr, rs, rt}, gradient);
    s = dot({rs, ss, st}, gradient);
    t = dot({rt, st, tt}, gradient);
  }
};

template <class T, int points>
struct PointLine<T, points, false, Geometry::affine> {
  T rr, rs, rt, ss, st, tt;

  HPCLAB_INLINE_DEVICE PointLine(const ElementArguments<T>& a, const ElementMatrices<T>& m,
                                 std::uint32_t element, int i, int j) {
    const T weight = m.weights[i] * m.weights[j];
    const T* g = a.geometry + std::size_t{6} * element;
    rr = weight * g[0];
    rs = weight * g[1];
    rt = weight * g[2];
    ss = weight * g[3];
    st = weight * g[4];
    tt = weight * g[5];
  }

  HPCLAB_INLINE_DEVICE void apply(const ElementMatrices<T>& m, int k, T& r, T& s, T& t) const {
    const Vector3<T> gradient = scaled(m.weights[k], Vector3<T>{r, s, t});
    r = dot({rr, rs, rt}, gradient);
    s = dot({rs, ss, st}, gradient);
    t = dot({rt, st, tt}, gradient);
  }
};

template <class T, int points>
struct PointLine<T, points, false, Geometry::trilinear> {
  TrilinearLine<T> line;
  T weight;

  HPCLAB_INLINE_DEVICE PointLine(const ElementArguments<T>& a, const ElementMatrices<T>& m,
                                 std::uint32_t element, int i, int j)
      : line(
            TrilinearLine<T>::at(a.geometry + std::size_t{24} * element, m.points[i], m.points[j])),
        weight(m.weights[i] * m.weights[j]) {}

  // With the columns of J the rows of det(J) J^-1 are their cross products.
  HPCLAB_INLINE_DEVICE void apply(const ElementMatrices<T>& m, int k, T& r, T& s, T& t) const {
    const Vector3<T> by_r = add_scaled(line.by_r, m.points[k], line.by_r_slope);
    const Vector3<T> by_s = add_scaled(line.by_s, m.points[k], line.by_s_slope);
    const Vector3<T> row_r = cross(by_s, line.by_t);
    const Vector3<T> row_s = cross(line.by_t, by_r);
    const Vector3<T> row_t = cross(by_r, by_s);
    const T factor = weight * m.weights[k] * device::reciprocal(dot(by_r, row_r));
    const Vector3<T> gradient{r, s, t};
    const Vector3<T> flux = scaled(factor, Vector3<T>{dot({row_r.x, row_s.x, row_t.x}, gradient),
                                                      dot({row_r.y, row_s.y, row_t.y}, gradient),
                                                      dot({row_r.z, row_s.z, row_t.z}, gradient)});
    r = dot(row_r, flux);
    s = dot(row_s, flux);
    t = dot(row_t, flux);
  }
};

template <class T, int points>
struct PointLine<T, points, true, Geometry::stored> {
  const T* metric;

  HPCLAB_INLINE_DEVICE PointLine(const ElementArguments<T>& a, const ElementMatrices<T>&,
                                 std::uint32_t element, int i, int j)
      : metric(a.geometry + std::size_t{points * points * points} * element + i + points * j) {}

  HPCLAB_INLINE_DEVICE T apply(const ElementMatrices<T>&, int k, T value) const {
    return metric[points * points * k] * value;
  }
};

template <class T, int points>
struct PointLine<T, points, true, Geometry::affine> {
  T weight;

  HPCLAB_INLINE_DEVICE PointLine(const ElementArguments<T>& a, const ElementMatrices<T>& m,
                                 std::uint32_t element, int i, int j)
      : weight(m.weights[i] * m.weights[j] * a.geometry[element]) {}

  HPCLAB_INLINE_DEVICE T apply(const ElementMatrices<T>& m, int k, T value) const {
    return weight * m.weights[k] * value;
  }
};

template <class T, int points>
struct PointLine<T, points, true, Geometry::trilinear> {
  TrilinearLine<T> line;
  T weight;

  HPCLAB_INLINE_DEVICE PointLine(const ElementArguments<T>& a, const ElementMatrices<T>& m,
                                 std::uint32_t element, int i, int j)
      : line(
            TrilinearLine<T>::at(a.geometry + std::size_t{24} * element, m.points[i], m.points[j])),
        weight(m.weights[i] * m.weights[j]) {}

  HPCLAB_INLINE_DEVICE T apply(const ElementMatrices<T>& m, int k, T value) const {
    const Vector3<T> by_r = add_scaled(line.by_r, m.points[k], line.by_r_slope);
    const Vector3<T> by_s = add_scaled(line.by_s, m.points[k], line.by_s_slope);
    return dot(by_r, cross(by_s, line.by_t)) * (weight * m.weights[k]) * value;
  }
};

/// A kernel that serves all geometries, by ElementArguments.geometry_kind; otherwise the number of
/// a Geometry.
inline constexpr int any_geometry = -1;

/// Calls body(PointLine of (i, j)) for the geometry that `geometry` or the arguments say.
template <class T, int points, bool mass, int geometry, class Body>
HPCLAB_INLINE_DEVICE void with_point_line(const ElementArguments<T>& a, const ElementMatrices<T>& m,
                                          std::uint32_t element, int i, int j, const Body& body) {
  if constexpr (geometry != any_geometry) {
    body(PointLine<T, points, mass, static_cast<Geometry>(geometry)>(a, m, element, i, j));
  } else if (a.geometry_kind == Geometry::stored) {
    body(PointLine<T, points, mass, Geometry::stored>(a, m, element, i, j));
  } else if (a.geometry_kind == Geometry::affine) {
    body(PointLine<T, points, mass, Geometry::affine>(a, m, element, i, j));
  } else {
    body(PointLine<T, points, mass, Geometry::trilinear>(a, m, element, i, j));
  }
}

}  // namespace hpclab::operators
