// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Moves vectors between the oracle's order and that of CpuOperator, and applies it.
#pragma once

#include "operators/cpu_operator.hpp"
#include "unit/operators/brute_force.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace hpclab::test {

/// A box of trilinear elements, none alike and none with parallel faces.
inline operators::Point bent_cube(const operators::Point& x) {
  return {x[0] + 0.1 * x[1] * x[2] - 0.05 * x[0] * x[0] * x[1], x[1] - 0.2 * x[0] * x[2],
          x[2] + 0.15 * x[0] * x[1] + 0.03 * x[0] * x[1] * x[2]};
}

/// Length of a vector in the oracle's order: by grid node for assembled kinds, else
/// [element][node].
inline std::size_t oracle_size(const operators::ElementOperator& o,
                               const operators::HexMesh& mesh) {
  return is_assembled(o.kind) ? grid_size(o, mesh)
                              : mesh.elements() * o.nodes() * o.nodes() * o.nodes();
}

/// Numbers in [-1, 1) that look random.
inline std::vector<long double> scattered(std::size_t size, std::uint64_t seed = 1) {
  std::vector<long double> numbers(size);
  for (std::size_t i = 0; i < size; ++i) {
    std::uint64_t z = (i + seed * 1000003) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    // 24 bits: exact in fp32 too
    numbers[i] = static_cast<long double>(static_cast<double>(z >> 40) / (1 << 23) - 1);
  }
  return numbers;
}

template <typename Visit>
void for_each_node(const operators::CpuOperator& cpu, const operators::HexMesh& mesh, Visit visit) {
  const operators::ElementOperator& o = cpu.element_operator();
  std::size_t copy = 0;
  for (std::int64_t element = 0; element < mesh.elements(); ++element)
    for (int k = 0; k < o.nodes(); ++k)
      for (int j = 0; j < o.nodes(); ++j)
        for (int i = 0; i < o.nodes(); ++i, ++copy)
          visit(cpu.layout().entry(element, i, j, k),
                is_assembled(o.kind) ? grid_index(o, mesh, element, i, j, k) : copy);
}

template <typename T>
std::vector<T> to_layout(const operators::CpuOperator& cpu, const operators::HexMesh& mesh,
                         const std::vector<long double>& u) {
  std::vector<T> result(cpu.layout().entries());
  for_each_node(cpu, mesh, [&](std::size_t entry, std::size_t index) {
    result[entry] = static_cast<T>(u[index]);
  });
  return result;
}

template <typename T>
std::vector<long double> from_layout(const operators::CpuOperator& cpu,
                                     const operators::HexMesh& mesh, const std::vector<T>& v) {
  std::vector<long double> result(oracle_size(cpu.element_operator(), mesh));
  for_each_node(cpu, mesh, [&](std::size_t entry, std::size_t index) { result[index] = v[entry]; });
  return result;
}

/// A u in the oracle's order; the output starts as garbage.
inline std::vector<long double> apply(operators::CpuOperator& cpu, const operators::HexMesh& mesh,
                                      const std::vector<long double>& u) {
  const auto in_precision = [&](auto number) {
    using T = decltype(number);
    const std::vector<T> in = to_layout<T>(cpu, mesh, u);
    std::vector<T> out(in.size(), static_cast<T>(-7777.25));
    cpu.apply(std::span<const T>(in), std::span<T>(out));
    return from_layout(cpu, mesh, out);
  };
  return cpu.element_operator().precision == operators::Precision::fp64 ? in_precision(0.0)
                                                                        : in_precision(0.0f);
}

inline long double largest(const std::vector<long double>& v) {
  long double most = 0;
  for (const long double x : v) most = std::isnan(x) ? INFINITY : std::max(most, std::abs(x));
  return most;
}

/// Largest difference relative to the largest number of `expected`.
inline double relative_error(const std::vector<long double>& got,
                             const std::vector<long double>& expected) {
  std::vector<long double> difference(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) difference[i] = got[i] - expected[i];
  return static_cast<double>(largest(difference) / largest(expected));
}

inline double rounding(operators::Precision precision) {
  return precision == operators::Precision::fp64 ? 0x1p-53 : 0x1p-24;
}

inline std::string describe(const operators::ElementOperator& o, InstructionSet isa) {
  static const char* const kinds[] = {"bk1", "bk3", "bk5", "bp1", "bp3", "bp5"};
  static const char* const geometries[] = {"stored", "trilinear", "affine"};
  return std::string(kinds[static_cast<int>(o.kind)]) + " degree " + std::to_string(o.degree) +
         " points " + std::to_string(o.quadrature) +
         (o.precision == operators::Precision::fp64 ? " fp64 " : " fp32 ") +
         geometries[static_cast<int>(o.geometry)] + " sweeps " + std::to_string(o.sweeps) +
         (o.even_odd ? " even-odd " : " ") + std::string(name(isa));
}

}  // namespace hpclab::test
