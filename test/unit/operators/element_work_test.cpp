// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/element_work.hpp"

#include "support/catch.hpp"

#include <array>

using namespace hpclab::operators;

namespace {

ElementOperator collocated(int degree) {
  ElementOperator o;
  o.kind = OperatorKind::bk5;
  o.degree = degree;
  o.quadrature = degree + 1;
  o.even_odd = false;
  return o;
}

}  // namespace

TEST_CASE("work: does bk5 at degree 7 on 4096 elements count what the nekRS benchmark prints?") {
  // README of the nekRS axhelm benchmark, A100, FP64: 1.404928e6 unknowns, 134,217,728 bytes,
  // 232,783,872 operations; 109.19 us are 12.867 GDOF/s, 1229.2 GB/s, 2131.9 GFLOP/s.
  const ElementOperator o = collocated(7);
  const ElementWork work = element_work(o);
  CHECK(4096 * dof_per_element(o) == 1404928);
  CHECK(4096 * work.dram_bytes() == 134217728);
  CHECK(4096 * work.textbook_flops == 232783872);
  CHECK(work.flops == work.textbook_flops);
  const double seconds = 109.19e-6;
  CHECK(4096 * dof_per_element(o) / seconds == Catch::Approx(12.867e9).epsilon(5e-4));
  CHECK(4096 * work.dram_bytes() / seconds == Catch::Approx(1229.2e9).epsilon(5e-4));
  CHECK(4096 * work.textbook_flops / seconds == Catch::Approx(2131.9e9).epsilon(5e-4));
}

TEST_CASE("work: are operations 12 n^4 + 15 n^3 and bytes 8 words a node for every degree?") {
  for (int degree = 1; degree <= largest_degree; ++degree) {
    const double n = degree + 1;
    const ElementWork work = element_work(collocated(degree));
    CHECK(work.textbook_flops == 12 * n * n * n * n + 15 * n * n * n);
    CHECK(work.dram_bytes() == 8 * 8 * n * n * n);
  }
}

TEST_CASE("work: are operations, bytes and intensity a DOF those of the published table?") {
  // FP64 bk5 with element vectors, by degree: operations, bytes, operations a byte.
  constexpr std::array<std::array<double, 3>, 8> table{{{312, 512, .61},
                                                        {172, 216, .80},
                                                        {149, 152, .98},
                                                        {147, 125, 1.17},
                                                        {150, 110.6, 1.36},
                                                        {157, 101.6, 1.55},
                                                        {166, 95.5, 1.73},
                                                        {175, 91.1, 1.92}}};
  for (int degree = 1; degree <= 8; ++degree) {
    const ElementOperator o = collocated(degree);
    const ElementWork work = element_work(o);
    const auto& [flops, bytes, intensity] = table[static_cast<std::size_t>(degree - 1)];
    CHECK(work.textbook_flops / dof_per_element(o) == Catch::Approx(flops).margin(0.52));
    CHECK(work.dram_bytes() / dof_per_element(o) == Catch::Approx(bytes).margin(0.51));
    CHECK(work.textbook_flops / work.dram_bytes() == Catch::Approx(intensity).margin(0.006));
  }
}

TEST_CASE("work: is the even-odd saving of a sweep the published one for degrees 1 to 8?") {
  constexpr std::array<double, 8> table{1.00, .73, .71, .64, .64, .60, .60, .58};
  for (int degree = 1; degree <= 8; ++degree) {
    CHECK(even_odd_operation_ratio(degree + 1) ==
          Catch::Approx(table[static_cast<std::size_t>(degree - 1)]).margin(0.0051));
  }
}

TEST_CASE("work: do 8 points take 32 multiply-adds and 16 additions even-odd, 64 dense?") {
  ElementOperator o = collocated(7);
  const ElementWork dense = element_work(o);
  o.even_odd = true;
  const ElementWork folded = element_work(o);
  const double lines = 6 * 64;
  const double points = 512;
  CHECK(dense.multiply_adds == 64 * lines + 6 * points);
  CHECK(folded.multiply_adds == 32 * lines + 6 * points);
  CHECK(folded.other_flops - dense.other_flops == 16 * lines);
  CHECK(folded.textbook_flops == dense.textbook_flops);
}

TEST_CASE(
    "work: do interpolations between n nodes and q points cost 2 (q n^3 + q^2 n^2 + q^3 n)?") {
  ElementOperator o;
  o.kind = OperatorKind::bk3;
  o.even_odd = false;
  for (int degree = 1; degree <= 8; ++degree) {
    for (int q = degree + 1; q <= degree + 3; ++q) {
      o.degree = degree;
      o.quadrature = q;
      const double n = degree + 1;
      const double interpolation = 2 * (q * n * n * n + q * q * n * n + q * q * q * n);
      const double gradient = 6.0 * q * q * q * q;
      const double points = q * q * q;
      o.sweeps = 12;
      CHECK(element_work(o).textbook_flops == 2 * interpolation + 2 * gradient + 15 * points);
      o.sweeps = 18;
      CHECK(element_work(o).textbook_flops == 6 * interpolation + 15 * points);
    }
  }
  o.kind = OperatorKind::bk1;
  o.sweeps = 6;
  o.degree = 3;
  o.quadrature = 5;
  CHECK(element_work(o).textbook_flops ==
        2 * 2 * (5. * 64 + 25 * 16 + 125 * 4) + 125);  // interpolate, weigh, return
}

TEST_CASE("work: are 18 sweeps of a collocated kernel three times the 6 that suffice?") {
  ElementOperator o = collocated(5);
  const double points = points_per_element(o);
  const double six = element_work(o).textbook_flops - 15 * points;
  o.sweeps = 18;
  CHECK(element_work(o).textbook_flops - 15 * points == 3 * six);
  CHECK(element_work(o).textbook_flops / dof_per_element(o) == Catch::Approx(399.2).margin(0.05));
}

TEST_CASE("work: are bytes of assembled vectors 2 w p^3 and of the map 4 n^3, metric by kind?") {
  ElementOperator o = collocated(4);
  o.kind = OperatorKind::bp5;
  ElementWork work = element_work(o);
  CHECK(work.vector_bytes == 2 * 8 * 64);
  CHECK(work.index_bytes == 4 * 125);
  CHECK(work.geometry_bytes == 6 * 8 * 125);
  o.precision = Precision::fp32;
  o.geometry = Geometry::trilinear;
  work = element_work(o);
  CHECK(work.vector_bytes == 2 * 4 * 64);
  CHECK(work.geometry_bytes == 4 * 24);
  o.geometry = Geometry::affine;
  CHECK(element_work(o).geometry_bytes == 4 * 6);
  o.kind = OperatorKind::bk1;
  o.geometry = Geometry::stored;
  o.quadrature = 6;
  CHECK(element_work(o).geometry_bytes == 4 * 216);
  CHECK(element_work(o).index_bytes == 0);
}
