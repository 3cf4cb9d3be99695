// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Do all kernels compute what the operator is defined to be? Whole numbers, compared exactly.
#include "core/error.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/operators/kernels.hpp"
#include "kernels/machines.hpp"
#include "kernels/operators/dense_reference.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace hpclab;
using namespace hpclab::operators;
using cuda::Buffer;

namespace {

std::vector<double> whole_numbers(std::size_t size, int range, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(size);
  for (double& v : values)
    v = static_cast<double>(static_cast<int>(random() % (2 * range + 1)) - range);
  return values;
}

ElementOperator operator_of(OperatorKind kind, int degree, int sweeps,
                            Precision precision = Precision::fp64,
                            Geometry geometry = Geometry::stored) {
  ElementOperator o;
  o.kind = kind;
  o.degree = degree;
  o.quadrature = is_collocated(kind) ? degree + 1 : degree + 2;
  o.sweeps = sweeps;
  o.precision = precision;
  o.geometry = geometry;
  return o;
}

/// Data of a few elements and the results by definition. Where vectors are assembled, nodes lie in
/// an order of their own, and each element shares three with the next.
struct Problem {
  ElementOperator o;
  std::uint32_t elements;
  std::size_t nodes, entries = 0;  ///< of an element; of the assembled vector
  test::WholeMatrices matrices;
  std::vector<double> in, geometry;
  std::vector<std::int32_t> map;
  std::vector<double> of_elements, assembled;  ///< results; added to assembled_start

  static constexpr double assembled_start = 5;

  static int points_of(const ElementOperator& o) {
    return is_collocated(o.kind) ? o.nodes() : o.quadrature;
  }

  Problem(const ElementOperator& element_operator, std::uint32_t number, std::uint64_t seed)
      : o(element_operator),
        elements(number),
        nodes(static_cast<std::size_t>(o.nodes() * o.nodes() * o.nodes())),
        matrices(o.nodes(), points_of(o), seed) {
    const auto q = static_cast<std::size_t>(points_of(o));
    const std::size_t points = q * q * q, components = is_mass(o.kind) ? 1 : 6;
    const bool stored = o.geometry == Geometry::stored;
    geometry = whole_numbers(elements * components * (stored ? points : 1), 2, seed + 3);
    if (is_assembled(o.kind)) {
      entries = elements * nodes - (elements - 1) * 3;
      while (entries % 7 == 0) ++entries;  // or nodes of one element would meet
      map.resize(elements * nodes);
      for (std::size_t e = 0; e < elements; ++e)
        for (std::size_t i = 0; i < nodes; ++i)
          map[e * nodes + i] = static_cast<std::int32_t>((e * (nodes - 3) + i) * 7 % entries);
    }
    in = whole_numbers(map.empty() ? elements * nodes : entries, 2, seed + 4);
    assembled.assign(entries, assembled_start);
    const auto weight = [](std::size_t i) { return 1.0 + static_cast<double>(i % 2); };
    for (std::size_t e = 0; e < elements; ++e) {
      const auto metric = [&](std::size_t component, std::size_t point) {
        if (stored) return geometry[(e * components + component) * points + point];
        return geometry[e * components + component] * weight(point % q) * weight(point / q % q) *
               weight(point / q / q);
      };
      std::vector<double> of_element(nodes);
      for (std::size_t i = 0; i < nodes; ++i) of_element[i] = in[place(e, i)];
      const auto result = test::apply_by_definition(o, matrices, of_element, metric);
      of_elements.insert(of_elements.end(), result.begin(), result.end());
      if (!map.empty())
        for (std::size_t i = 0; i < nodes; ++i) assembled[place(e, i)] += result[i];
    }
  }

  std::size_t place(std::size_t element, std::size_t node) const {
    const std::size_t at = element * nodes + node;
    return map.empty() ? at : static_cast<std::size_t>(map[at]);
  }

  template <class T>
  std::vector<T> result_of(cuda::Runtime& runtime, const KernelVariant& variant,
                           NodeUpdate update) const {
    const auto cast = [](const std::vector<double>& values) {
      return std::vector<T>(values.begin(), values.end());
    };
    // Elements are listed backwards.
    std::vector<std::uint32_t> order(elements);
    for (std::uint32_t e = 0; e < elements; ++e) order[e] = elements - 1 - e;
    const Buffer<T> device_in(runtime, cast(in)), device_geometry(runtime, cast(geometry));
    const Buffer<std::int32_t> device_map(runtime, map);
    const Buffer<std::uint32_t> device_order(runtime, order);
    const bool to_elements = update == NodeUpdate::store;
    Buffer<T> out(runtime,
                  std::vector<T>(to_elements ? elements * nodes : entries, T(assembled_start)));
    ElementArguments<T> a;
    a.in = device_in.data();
    a.out = out.data();
    a.geometry = device_geometry.data();
    a.geometry_kind = o.geometry;
    a.map = map.empty() ? nullptr : device_map.data();
    a.order = device_order.data();
    a.elements = elements;
    a.update = update;
    const auto kernel = kernels::element<T>(o, variant);
    const auto packed = matrices.packed<T>(o, uses_even_odd(o, variant));
    if (update != NodeUpdate::add) {
      launch(runtime, kernel, launch_shape(o, variant, elements), a, packed);
      return out.download();
    }
    a.elements = 1;  // one element a launch: none share a node
    for (std::uint32_t e = 0; e < elements; ++e, ++a.order)
      launch(runtime, kernel, launch_shape(o, variant, 1), a, packed);
    return out.download();
  }

  template <class T>
  void check_as(cuda::Runtime& runtime, const KernelVariant& variant, NodeUpdate update) const {
    const std::vector<T> result = result_of<T>(runtime, variant, update);
    const std::vector<double>& wanted = update == NodeUpdate::store ? of_elements : assembled;
    REQUIRE(result.size() == wanted.size());
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      largest = std::max(largest, std::abs(wanted[i]));
      const double here = std::abs(static_cast<double>(result[i]) - wanted[i]);
      error = here <= error ? error : here;  // keeps one that is not a number
    }
    INFO("degree " << o.degree << ", sweeps " << o.sweeps << ", " << variant.text());
    CHECK(largest > 0);
    if (sizeof(T) == 8) {
      CHECK(largest < 0x1p50);  // all sums are exact
      CHECK(error == 0);
    } else {
      CHECK(error <= 0x1p-17 * largest);
    }
  }

  void check(cuda::Runtime& runtime, const KernelVariant& variant, NodeUpdate update) const {
    if (o.precision == Precision::fp64) {
      check_as<double>(runtime, variant, update);
    } else {
      check_as<float>(runtime, variant, update);
    }
  }
};

std::vector<ElementOperator> all_element_operators(int degree, Precision precision,
                                                   Geometry geometry) {
  return {operator_of(OperatorKind::bk1, degree, 6, precision, geometry),
          operator_of(OperatorKind::bk3, degree, 12, precision, geometry),
          operator_of(OperatorKind::bk3, degree, 18, precision, geometry),
          operator_of(OperatorKind::bk5, degree, 6, precision, geometry),
          operator_of(OperatorKind::bk5, degree, 18, precision, geometry)};
}

}  // namespace

TEST_CASE("element kernels: does every kind agree with its definition in every order of threads?") {
  for (const int degree : {1, 2, 3, 4}) {
    for (const ElementOperator& o :
         all_element_operators(degree, Precision::fp64, Geometry::stored)) {
      const Problem problem(o, 5, 10 * degree);
      for (const auto& make : test::machines()) {
        const auto runtime = make();
        for (const KernelVariant& variant : kernel_variants(o))
          problem.check(*runtime, variant, NodeUpdate::store);
      }
    }
  }
}

TEST_CASE("element kernels: does every degree agree, with halves and dense?") {
  const auto runtime = test::machines().back()();
  for (int degree = 5; degree <= largest_degree; ++degree) {
    for (ElementOperator o : all_element_operators(degree, Precision::fp64, Geometry::stored)) {
      const Problem problem(o, 2, 100 + degree);
      for (const bool even_odd : {true, false}) {
        Problem again = problem;
        again.o.even_odd = even_odd;
        if (degree == largest_degree && o.sweeps == 12 && !even_odd) {
          CHECK_THROWS_AS(kernel_variants(again.o), CaseSkipped);  // it would spill
          continue;
        }
        for (const KernelVariant& variant : kernel_variants(again.o))
          again.check(*runtime, variant, NodeUpdate::store);
      }
    }
  }
}

TEST_CASE("element kernels: do parallelepipeds and single precision agree?") {
  const auto runtime = test::machines().front()();
  for (const int degree : {1, 2, 3, 4, 7}) {
    for (const Precision precision : {Precision::fp64, Precision::fp32}) {
      for (const ElementOperator& o : all_element_operators(degree, precision, Geometry::affine)) {
        const Problem problem(o, 3, 200 + degree);
        for (const KernelVariant& variant : kernel_variants(o))
          problem.check(*runtime, variant, NodeUpdate::store);
      }
    }
  }
}

TEST_CASE("element kernels: are assembled vectors gathered, and results added or stored?") {
  for (const auto& make : test::machines()) {
    const auto runtime = make();
    for (const int degree : {1, 3, 7}) {
      for (const auto& [kind, sweeps] :
           {std::pair{OperatorKind::bp1, 6}, {OperatorKind::bp3, 12}, {OperatorKind::bp5, 6}}) {
        if (degree == 7 && !is_collocated(kind)) continue;
        const ElementOperator o = operator_of(kind, degree, sweeps);
        const Problem problem(o, 3, 300 + degree);
        for (const KernelVariant& variant : kernel_variants(o)) {
          if (variant.elements_per_block > 4) continue;
          for (const NodeUpdate update :
               {NodeUpdate::store, NodeUpdate::add, NodeUpdate::atomic_add})
            problem.check(*runtime, variant, update);
        }
      }
    }
  }
}

TEST_CASE("element kernels: what was not built is refused, and said") {
  ElementOperator o = operator_of(OperatorKind::bk3, 4, 12);
  o.quadrature = 8;
  CHECK_THROWS_AS(kernel_variants(o), CaseSkipped);
  o = operator_of(OperatorKind::bk5, 6, 6);
  KernelVariant variant = kernel_variants(o).front();
  CHECK_THROWS_AS(kernels::element<float>(o, variant), UsageError);
  variant.resident_blocks = 17;
  CHECK_THROWS_AS(kernels::element<double>(o, variant), UsageError);
  variant.elements_per_block = 1000;
  CHECK_THROWS_AS(launch_shape(o, variant, 1), UsageError);
  variant = {KernelFamily::tensor};
  CHECK_THROWS_AS(kernels::element<double>(o, variant), UsageError);
}
