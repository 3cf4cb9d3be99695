// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What an operator must be whatever its numbers: symmetric, definite, exact for what it should not
// see, and convergent at the order of its degree.
#include "operators/cpu_operator.hpp"
#include "support/catch.hpp"
#include "unit/operators/brute_force.hpp"
#include "unit/operators/cpu_vectors.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace {

using namespace hpclab;
using namespace hpclab::operators;
using namespace hpclab::test;

InstructionSet widest() {
  for (const InstructionSet set : {InstructionSet::avx512, InstructionSet::avx2})
    if (supported(set)) return set;
  return InstructionSet::scalar;
}

ElementOperator make(OperatorKind kind, int degree) {
  ElementOperator o;
  o.kind = kind;
  o.degree = degree;
  o.quadrature = degree + (is_collocated(kind) ? 1 : 2);
  o.sweeps = is_mass(kind) || is_collocated(kind) ? 6 : 12;
  return o;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// L D L^T without pivoting; the smallest pivot.
double smallest_pivot(std::vector<long double> a, int size) {
  long double smallest = INFINITY;
  for (int c = 0; c < size; ++c) {
    const long double pivot = a[c * size + c];
    smallest = std::min(smallest, pivot);
    for (int r = c + 1; r < size; ++r) {
      const long double factor = a[r * size + c] / pivot;
      for (int i = c; i < size; ++i) a[r * size + i] -= factor * a[c * size + i];
    }
  }
  return static_cast<double>(smallest);
}

// The dense matrix of the operator on all nodes of the box, column by column.
std::vector<long double> dense(CpuOperator& cpu, const HexMesh& mesh) {
  const std::size_t size = oracle_size(cpu.element_operator(), mesh);
  std::vector<long double> matrix(size * size);
  for (std::size_t column = 0; column < size; ++column) {
    std::vector<long double> unit(size);
    unit[column] = 1;
    const auto image = apply(cpu, mesh, unit);
    for (std::size_t row = 0; row < size; ++row) matrix[row * size + column] = image[row];
  }
  return matrix;
}

}  // namespace

TEST_CASE("are constants in the null space of the Laplacian, and is mass the volume?") {
  const HexMesh mesh({3, 3, 2}, deformed_cube);
  const HexMesh sheared({3, 3, 2}, sheared_cube);
  for (int degree = 1; degree <= 12; ++degree) {
    for (const OperatorKind kind : {OperatorKind::bp3, OperatorKind::bp5}) {
      CpuOperator cpu(make(kind, degree), mesh, widest());
      std::vector<long double> ones(oracle_size(cpu.element_operator(), mesh), 1);
      CHECK(largest(apply(cpu, mesh, ones)) < 1e-12L);
    }
    // The deformation leaves the faces of the unit cube in place.
    CpuOperator mass(make(OperatorKind::bp1, degree), mesh, widest());
    std::vector<long double> ones(oracle_size(mass.element_operator(), mesh), 1);
    long double volume = 0;
    for (const long double part : apply(mass, mesh, ones)) volume += part;
    CHECK(std::abs(volume - 1) < 1e-13L);
  }
}

TEST_CASE("are operators symmetric, and positive except for constants?") {
  const HexMesh mesh({3, 2, 2}, deformed_cube);
  for (int degree = 1; degree <= 12; ++degree)
    for (const OperatorKind kind : {OperatorKind::bp1, OperatorKind::bp3, OperatorKind::bp5}) {
      CpuOperator cpu(make(kind, degree), mesh, widest());
      const std::size_t size = oracle_size(cpu.element_operator(), mesh);
      const auto x = to_layout<double>(cpu, mesh, scattered(size, 1));
      const auto y = to_layout<double>(cpu, mesh, scattered(size, 2));
      std::vector<double> ax(x.size()), ay(y.size());
      cpu.apply(x, ax);
      cpu.apply(y, ay);
      const double scale = std::sqrt(dot(ax, ax) * dot(y, y));
      CHECK(std::abs(dot(y, ax) - dot(x, ay)) < 1e-13 * scale);
      CHECK(dot(x, ax) > 0);
      CHECK(dot(y, ay) > 0);
    }
}

TEST_CASE("is the assembled matrix definite on the complement of its null space?") {
  const HexMesh mesh({2, 2, 1}, deformed_cube);
  for (const OperatorKind kind : {OperatorKind::bp1, OperatorKind::bp3, OperatorKind::bp5}) {
    CpuOperator cpu(make(kind, 2), mesh, widest());
    auto matrix = dense(cpu, mesh);
    const int size = static_cast<int>(oracle_size(cpu.element_operator(), mesh));
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < i; ++j)
        CHECK(std::abs(matrix[i * size + j] - matrix[j * size + i]) < 1e-14L);
    const double pivot = smallest_pivot(matrix, size);
    if (is_mass(kind)) {
      CHECK(pivot > 1e-6);
    } else {
      // One pivot, the last, vanishes; with constants lifted none does.
      CHECK(std::abs(pivot) < 1e-12);
      for (long double& entry : matrix) entry += 1.0L / size;
      CHECK(smallest_pivot(matrix, size) > 1e-4);
    }
  }
}

TEST_CASE("is the element matrix that of the dense assembly?") {
  const HexMesh mesh({1, 1, 1}, bent_cube);
  for (int degree = 1; degree <= 4; ++degree)
    for (const OperatorKind kind : {OperatorKind::bk1, OperatorKind::bk3, OperatorKind::bk5}) {
      const ElementOperator o = make(kind, degree);
      CpuOperator cpu(o, mesh, widest());
      const auto expected = BruteForce(o).matrix(mesh.corners(0));
      CHECK(relative_error(dense(cpu, mesh), expected) < 1e-14);
    }
}

TEST_CASE("do element vectors summed over shared nodes give the assembled vector?") {
  const HexMesh mesh({3, 3, 3}, deformed_cube);
  for (int degree = 1; degree <= 12; degree += 3) {
    const ElementOperator whole = make(OperatorKind::bp5, degree);
    CpuOperator e(make(OperatorKind::bk5, degree), mesh, widest()), l(whole, mesh, widest());
    const auto u = scattered(grid_size(whole, mesh));
    const auto sum = assembled(whole, mesh, apply(e, mesh, gathered(whole, mesh, u)));
    CHECK(relative_error(apply(l, mesh, u), sum) < 1e-14);
  }
}

namespace {

// Largest nodal error of -laplace u = f in the unit cube, u = 0 on its surface, solved by conjugate
// gradients with the matrix-free Laplacian, f tested by the matrix-free mass.
double poisson_error(OperatorKind kind, int degree, int side) {
  const HexMesh mesh({side, side, side}, deformed_cube);
  CpuOperator laplacian(make(kind, degree), mesh, widest());
  CpuOperator mass(make(OperatorKind::bp1, degree), mesh, widest());
  const VectorLayout& layout = laplacian.layout();
  const std::vector<long double> nodes = BruteForce(make(OperatorKind::bk5, degree)).nodes();
  const double pi = std::numbers::pi;
  std::vector<double> exact(layout.entries()), inside(layout.entries()), f(layout.entries()),
      b(layout.entries());
  for (std::int64_t e = 0; e < mesh.elements(); ++e) {
    const auto corners = mesh.corners(e);
    const std::int64_t place[3] = {e % side, e / side % side, e / side / side};
    for (int k = 0; k <= degree; ++k)
      for (int j = 0; j <= degree; ++j)
        for (int i = 0; i <= degree; ++i) {
          const int at[3] = {i, j, k};
          double x[3] = {};
          bool interior = true;
          for (int d = 0; d < 3; ++d)
            interior &= place[d] * degree + at[d] > 0 && place[d] * degree + at[d] < degree * side;
          for (int corner = 0; corner < 8; ++corner) {
            double weight = 1;
            for (int d = 0; d < 3; ++d) {
              const double xi = static_cast<double>(nodes[at[d]]);
              weight *= (corner >> d & 1) != 0 ? (1 + xi) / 2 : (1 - xi) / 2;
            }
            for (int d = 0; d < 3; ++d) x[d] += weight * corners[corner][d];
          }
          const std::size_t entry = layout.entry(e, i, j, k);
          exact[entry] = std::sin(pi * x[0]) * std::sin(2 * pi * x[1]) * std::sin(pi * x[2]);
          f[entry] = 6 * pi * pi * exact[entry];
          inside[entry] = interior ? 1 : 0;
        }
  }
  mass.apply(f, b);
  std::vector<double> u(b.size()), r(b.size()), p(b.size()), ap(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) p[i] = r[i] = inside[i] * b[i];
  double rr = dot(r, r);
  const double stop = 1e-22 * rr;
  for (int iteration = 0; iteration < 2000 && rr > stop; ++iteration) {
    laplacian.apply(p, ap);
    for (std::size_t i = 0; i < ap.size(); ++i) ap[i] *= inside[i];
    const double alpha = rr / dot(p, ap);
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] += alpha * p[i];
      r[i] -= alpha * ap[i];
    }
    const double next = dot(r, r);
    for (std::size_t i = 0; i < u.size(); ++i) p[i] = r[i] + next / rr * p[i];
    rr = next;
  }
  CHECK(rr <= stop);
  double error = 0;
  for (std::size_t i = 0; i < u.size(); ++i)
    error = std::max(error, inside[i] * std::abs(u[i] - exact[i]));
  return error;
}

}  // namespace

TEST_CASE("does a Poisson problem converge at order degree + 1 on a deformed mesh?") {
  for (const OperatorKind kind : {OperatorKind::bp3, OperatorKind::bp5})
    for (int degree = 1; degree <= 4; ++degree) {
      const int side = degree <= 2 ? 8 : 4;
      const double coarse = poisson_error(kind, degree, side);
      const double fine = poisson_error(kind, degree, 2 * side);
      const double order = std::log2(coarse / fine);
      INFO("kind " << static_cast<int>(kind) << " degree " << degree << ": errors " << coarse << " "
                   << fine << ", order " << order);
      CHECK(order > degree + 0.7);
    }
}
