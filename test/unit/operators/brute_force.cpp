// hpclab: SPDX-License-Identifier: Apache-2.0
#include "unit/operators/brute_force.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/legendre.hpp>

namespace hpclab::test {
namespace {

using operators::ElementOperator;
using operators::HexMesh;
using operators::Point;
using Vector = std::vector<long double>;

// Roots of P'_{n-1} between the Gauss points, by bisection, and the ends.
Vector lobatto_points(int n) {
  const int degree = n - 1;
  const auto slope = [&](long double x) { return boost::math::legendre_p_prime(degree, x); };
  Vector zeros;
  for (const long double zero : boost::math::legendre_p_zeros<long double>(degree)) {
    zeros.push_back(zero);
    if (zero != 0) zeros.push_back(-zero);
  }
  std::sort(zeros.begin(), zeros.end());
  Vector points{-1};
  for (std::size_t i = 0; i + 1 < zeros.size(); ++i) {
    long double low = zeros[i], high = zeros[i + 1];
    const bool rising = slope(low) < 0;
    for (int halving = 0; halving < 70; ++halving) {
      const long double middle = (low + high) / 2;
      ((slope(middle) < 0) == rising ? low : high) = middle;
    }
    points.push_back((low + high) / 2);
  }
  points.push_back(1);
  return points;
}

Vector gauss_points(int q) {
  Vector points;
  for (const long double zero : boost::math::legendre_p_zeros<long double>(q)) {
    points.push_back(zero);
    if (zero != 0) points.push_back(-zero);
  }
  std::sort(points.begin(), points.end());
  return points;
}

long double lagrange(const Vector& nodes, std::size_t i, long double x) {
  long double value = 1;
  for (std::size_t j = 0; j < nodes.size(); ++j)
    if (j != i) value *= (x - nodes[j]) / (nodes[i] - nodes[j]);
  return value;
}

long double lagrange_slope(const Vector& nodes, std::size_t i, long double x) {
  long double sum = 0;
  for (std::size_t m = 0; m < nodes.size(); ++m) {
    if (m == i) continue;
    long double term = 1 / (nodes[i] - nodes[m]);
    for (std::size_t j = 0; j < nodes.size(); ++j)
      if (j != i && j != m) term *= (x - nodes[j]) / (nodes[i] - nodes[j]);
    sum += term;
  }
  return sum;
}

struct Shape {
  long double det;
  long double inverse[3][3];  // d reference b / d physical a: [b][a]
};

Shape shape_at(const std::array<Point, 8>& corners, const long double* xi) {
  long double j[3][3] = {};
  for (int corner = 0; corner < 8; ++corner)
    for (int b = 0; b < 3; ++b) {
      long double slope = 0.125L;
      for (int d = 0; d < 3; ++d) {
        const long double sign = (corner >> d & 1) != 0 ? 1 : -1;
        slope *= d == b ? sign : 1 + sign * xi[d];
      }
      for (int a = 0; a < 3; ++a) j[a][b] += slope * corners[corner][a];
    }
  Shape shape{};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      shape.inverse[b][a] = j[(a + 1) % 3][(b + 1) % 3] * j[(a + 2) % 3][(b + 2) % 3] -
                            j[(a + 1) % 3][(b + 2) % 3] * j[(a + 2) % 3][(b + 1) % 3];
  shape.det =
      j[0][0] * shape.inverse[0][0] + j[0][1] * shape.inverse[1][0] + j[0][2] * shape.inverse[2][0];
  for (auto& row : shape.inverse)
    for (long double& entry : row) entry /= shape.det;
  return shape;
}

}  // namespace

BruteForce::BruteForce(const ElementOperator& o)
    : n_(o.nodes()),
      q_(o.quadrature),
      mass_(is_mass(o.kind)),
      nodes_(lobatto_points(n_)),
      points_(is_collocated(o.kind) ? nodes_ : gauss_points(q_)) {
  for (int point = 0; point < q_; ++point) {
    const long double x = points_[point];
    if (is_collocated(o.kind)) {
      const long double p = boost::math::legendre_p(n_ - 1, x);
      weights_.push_back(2 / (n_ * (n_ - 1) * p * p));
    } else {
      const long double slope = boost::math::legendre_p_prime(q_, x);
      weights_.push_back(2 / ((1 - x * x) * slope * slope));
    }
    for (int node = 0; node < n_; ++node) {
      value_.push_back(lagrange(nodes_, node, x));
      slope_.push_back(lagrange_slope(nodes_, node, x));
    }
  }
}

Vector BruteForce::apply(const std::array<Point, 8>& corners, const Vector& u) const {
  Vector result(u.size());
  const int lines = n_ * n_, size = lines * n_;
  // Along z and y: value, value, d/dy, d/dz; times along x: value, d/dx, value, value.
  std::vector<std::array<long double, 4>> across(lines);
  std::vector<std::array<long double, 4>> basis(size);  // value, and derivatives by reference
  for (int point = 0; point < q_ * q_ * q_; ++point) {
    const int at[3] = {point % q_ * n_, point / q_ % q_ * n_, point / q_ / q_ * n_};
    const long double xi[3] = {points_[point % q_], points_[point / q_ % q_],
                               points_[point / q_ / q_]};
    const Shape shape = shape_at(corners, xi);
    const long double weight =
        weights_[point % q_] * weights_[point / q_ % q_] * weights_[point / q_ / q_] * shape.det;
    for (int line = 0; line < lines; ++line) {
      const int y = at[1] + line % n_, z = at[2] + line / n_;
      const long double value = value_[y] * value_[z];
      across[line] = {value, value, slope_[y] * value_[z], value_[y] * slope_[z]};
    }
    std::array<long double, 4> sum{};
    for (int node = 0; node < size; ++node) {
      const long double value = value_[at[0] + node % n_], slope = slope_[at[0] + node % n_];
      const auto& of = across[node / n_];
      basis[node] = {value * of[0], slope * of[1], value * of[2], value * of[3]};
      if (mass_) {
        sum[0] += basis[node][0] * u[node];
      } else {
        for (int part = 1; part < 4; ++part) sum[part] += basis[node][part] * u[node];
      }
    }
    if (mass_) {
      for (int node = 0; node < size; ++node) result[node] += basis[node][0] * weight * sum[0];
      continue;
    }
    long double flux[4] = {};
    for (int a = 0; a < 3; ++a) {
      long double derivative = 0;
      for (int b = 0; b < 3; ++b) derivative += shape.inverse[b][a] * sum[b + 1];
      for (int b = 0; b < 3; ++b) flux[b + 1] += weight * shape.inverse[b][a] * derivative;
    }
    for (int node = 0; node < size; ++node)
      for (int part = 1; part < 4; ++part) result[node] += basis[node][part] * flux[part];
  }
  return result;
}

Vector BruteForce::matrix(const std::array<Point, 8>& corners) const {
  const std::size_t size = static_cast<std::size_t>(n_) * n_ * n_;
  Vector result(size * size);
  for (std::size_t column = 0; column < size; ++column) {
    Vector unit(size);
    unit[column] = 1;
    const Vector image = apply(corners, unit);
    for (std::size_t row = 0; row < size; ++row) result[row * size + column] = image[row];
  }
  return result;
}

std::size_t grid_size(const ElementOperator& o, const HexMesh& mesh) {
  const std::size_t p = o.degree;
  return (p * mesh.split().x + 1) * (p * mesh.split().y + 1) * (p * mesh.split().z + 1);
}

std::size_t grid_index(const ElementOperator& o, const HexMesh& mesh, std::int64_t element, int i,
                       int j, int k) {
  const std::int64_t p = o.degree;
  const auto& split = mesh.split();
  const std::int64_t x = element % split.x * p + i, y = element / split.x % split.y * p + j,
                     z = element / split.x / split.y * p + k;
  return x + (p * split.x + 1) * (y + (p * split.y + 1) * z);
}

Vector brute_force(const ElementOperator& o, const HexMesh& mesh, const Vector& u) {
  const BruteForce one(o);
  const std::size_t size = static_cast<std::size_t>(o.nodes()) * o.nodes() * o.nodes();
  Vector result;
  for (std::int64_t element = 0; element < mesh.elements(); ++element) {
    const auto begin = u.begin() + static_cast<std::ptrdiff_t>(element * size);
    const Vector image = one.apply(mesh.corners(element), {begin, begin + size});
    result.insert(result.end(), image.begin(), image.end());
  }
  return result;
}

Vector gathered(const ElementOperator& o, const HexMesh& mesh, const Vector& u) {
  const int n = o.nodes();
  Vector copies;
  for (std::int64_t element = 0; element < mesh.elements(); ++element)
    for (int node = 0; node < n * n * n; ++node)
      copies.push_back(u[grid_index(o, mesh, element, node % n, node / n % n, node / n / n)]);
  return copies;
}

Vector assembled(const ElementOperator& o, const HexMesh& mesh, const Vector& images) {
  const int n = o.nodes();
  Vector sum(grid_size(o, mesh));
  std::size_t next = 0;
  for (std::int64_t element = 0; element < mesh.elements(); ++element)
    for (int node = 0; node < n * n * n; ++node)
      sum[grid_index(o, mesh, element, node % n, node / n % n, node / n / n)] += images[next++];
  return sum;
}

}  // namespace hpclab::test
