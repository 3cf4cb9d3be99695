// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Does every kernel do what is declared beside it? Kernels run with numbers that count.
#include "cuda/operators/variant_work.hpp"

// Before the kernels, which call its functions.
#include "kernels/operators/counted.hpp"
//
#include "cuda/operators/node.cuh"
#include "cuda/operators/pencil.cuh"
#include "cuda/operators/slab.cuh"
#include "cuda/operators/tensor.cuh"
#include "operators/element_work.hpp"
#include "support/catch.hpp"

#include <vector>

using namespace hpclab;
using namespace hpclab::operators;
using test::Counted;
using test::Counts;

namespace {

ElementOperator operator_of(OperatorKind kind, int degree, int sweeps,
                            Geometry geometry = Geometry::stored, bool even_odd = true) {
  ElementOperator o;
  o.kind = kind;
  o.degree = degree;
  o.quadrature = is_collocated(kind) ? degree + 1 : degree + 2;
  o.sweeps = sweeps;
  o.geometry = geometry;
  o.even_odd = even_odd;
  return o;
}

/// Whether lanes of a warp make the same accesses. Where some leave one out, the emulator cannot
/// say which accesses of the others are one instruction, so that only words are compared.
enum class Lanes { together, apart };

/// Runs a full block of the kernel and compares.
template <class Number>
void check(ElementOperator o, const KernelVariant& variant,
           void (*kernel)(ElementArguments<Counted<Number>>, ElementMatrices<Counted<Number>>),
           Lanes lanes = Lanes::together) {
  using T = Counted<Number>;
  o.precision = sizeof(Number) == 8 ? Precision::fp64 : Precision::fp32;
  const auto elements = static_cast<std::uint32_t>(variant.elements_per_block);
  const auto size = static_cast<std::size_t>(o.nodes() * o.nodes() * o.nodes()) * elements;
  const std::vector<T> in(size, T(1));
  std::vector<T> out(size, T(0));
  // Enough for any geometry; a cube for trilinear ones.
  std::vector<T> geometry(6 * 14 * 14 * 14 * elements, T(1));
  if (o.geometry == Geometry::trilinear) {
    for (std::size_t i = 0; i < geometry.size(); ++i)
      geometry[i] = T(static_cast<Number>((i % 8) >> (i / 8 % 3) & 1));
  }
  ElementArguments<T> a;
  a.in = in.data();
  a.out = out.data();
  a.geometry = geometry.data();
  a.geometry_kind = o.geometry;
  a.elements = elements;
  ElementMatrices<T> matrices;
  const cuda::LaunchShape shape = launch_shape(o, variant, elements);
  Counts::clear();
  Counts::now().enabled = true;
  emulator::run("counted", {shape.grid, shape.block, shape.dynamic_shared_bytes},
                [&] { kernel(a, matrices); });
  Counts::now().enabled = false;
  const VariantWork work = variant_work(o, variant, Scatter::pass);
  INFO(variant.text() << ", degree " << o.degree << ", sweeps " << o.sweeps << ", geometry "
                      << static_cast<int>(o.geometry) << ", " << sizeof(Number) << " bytes");
  CHECK(static_cast<double>(Counts::now().multiply_adds) == work.multiply_adds * elements);
  CHECK(static_cast<double>(Counts::now().additions) == work.additions * elements);
  CHECK(static_cast<double>(Counts::now().shared_words) == work.shared_words * elements);
  if (lanes == Lanes::together)
    CHECK(Counts::now().wavefronts(sizeof(Number)) == work.shared_wavefronts * elements);
}

template <class Number, int nodes, int points, bool mass, int sweeps, bool even_odd>
void check_pencil(int elements, Geometry geometry = Geometry::stored) {
  const OperatorKind kind = mass              ? OperatorKind::bk1
                            : points == nodes ? OperatorKind::bk5
                                              : OperatorKind::bk3;
  check<Number>(
      operator_of(kind, nodes - 1, sweeps, geometry, even_odd), {KernelFamily::pencil, elements},
      &pencil_kernel<Counted<Number>, nodes, points, mass, sweeps, any_geometry, even_odd, 1>);
}

}  // namespace

TEST_CASE("work of pencils: does the emulator count the operations and wavefronts declared?") {
  check_pencil<double, 8, 8, false, 6, true>(2);
  check_pencil<double, 8, 8, false, 6, true>(1, Geometry::affine);
  check_pencil<double, 5, 5, false, 6, false>(3, Geometry::trilinear);
  check_pencil<double, 2, 2, false, 6, true>(8);
  check_pencil<float, 7, 7, false, 6, true>(2, Geometry::trilinear);
  check_pencil<float, 6, 6, false, 6, false>(4);
  check_pencil<double, 4, 5, true, 6, true>(2);
  check_pencil<double, 4, 5, true, 6, true>(1, Geometry::affine);
  check_pencil<float, 3, 4, true, 6, true>(2, Geometry::trilinear);
  check_pencil<double, 4, 5, false, 12, true>(3);
  check_pencil<float, 5, 6, false, 12, false>(1);
  check_pencil<double, 4, 5, false, 18, false>(2);
  check_pencil<double, 6, 6, false, 18, false>(1);
}

TEST_CASE("work of node kernels: does the emulator count the operations and words declared?") {
  check<double>(operator_of(OperatorKind::bk5, 3, 6), {KernelFamily::node, 2},
                &node_kernel<Counted<double>, 4, 4, false>);
  check<float>(operator_of(OperatorKind::bk5, 1, 6, Geometry::trilinear), {KernelFamily::node, 16},
               &node_kernel<Counted<float>, 2, 2, false>);
  check<double>(operator_of(OperatorKind::bk1, 2, 6), {KernelFamily::node, 3},
                &node_kernel<Counted<double>, 3, 4, true>);
  check<double>(operator_of(OperatorKind::bk3, 2, 12, Geometry::affine), {KernelFamily::node, 2},
                &node_kernel<Counted<double>, 3, 4, false>, Lanes::apart);
}

TEST_CASE("work of slabs: does the emulator count the operations and wavefronts declared?") {
  constexpr int stored = static_cast<int>(Geometry::stored);
  constexpr int affine = static_cast<int>(Geometry::affine);
  check<double>(operator_of(OperatorKind::bk5, 7, 6), {KernelFamily::slab, 2, 1, false},
                &slab_kernel<Counted<double>, 8, false, stored>);
  check<double>(operator_of(OperatorKind::bk5, 4, 6), {KernelFamily::slab, 3, 1, true},
                &slab_kernel<Counted<double>, 5, true, stored>);
  check<float>(operator_of(OperatorKind::bk5, 5, 6, Geometry::affine),
               {KernelFamily::slab, 4, 1, true}, &slab_kernel<Counted<float>, 6, true, affine>);
}

TEST_CASE(
    "work of tensor kernels: does the emulator count the operations and wavefronts declared?") {
  check<double>(operator_of(OperatorKind::bk5, 7, 6), {KernelFamily::tensor},
                &tensor_kernel<Counted<double>, 8, static_cast<int>(Geometry::stored)>);
  check<double>(operator_of(OperatorKind::bk5, 9, 6, Geometry::trilinear), {KernelFamily::tensor},
                &tensor_kernel<Counted<double>, 10, static_cast<int>(Geometry::trilinear)>,
                Lanes::apart);
}

TEST_CASE("work of variants: do operations without geometry and halves equal the textbook's?") {
  for (int degree = 1; degree <= largest_degree; ++degree) {
    const ElementOperator o = operator_of(OperatorKind::bk5, degree, 6, Geometry::stored, false);
    const double n = o.nodes();
    for (const KernelVariant& variant : kernel_variants(o)) {
      const VariantWork work = variant_work(o, variant, Scatter::pass);
      // All but the slab sum three contributions by two additions a point.
      const double sums = variant.family == KernelFamily::slab ? 0 : 2 * n * n * n;
      if (variant.family != KernelFamily::tensor)
        CHECK(work.vector_flops() == element_work(o).textbook_flops + sums);
      else
        CHECK(work.tensor_multiply_adds >= 6 * n * n * n * n);
      CHECK(work.shared_wavefronts * 128 >= work.shared_words * 0.99);
    }
    const auto with_halves = operator_of(OperatorKind::bk5, degree, 6);
    const VariantWork work =
        variant_work(with_halves, kernel_variants(with_halves).front(), Scatter::pass);
    CHECK(work.vector_flops() <= element_work(o).textbook_flops + 2 * n * n * n);
  }
}
