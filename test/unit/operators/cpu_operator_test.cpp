// hpclab: SPDX-License-Identifier: Apache-2.0
//
// CpuOperator against the brute-force sums: all kinds, degrees, geometries, precisions, sweep
// structures and instruction sets.
#include "operators/cpu_operator.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"
#include "unit/operators/brute_force.hpp"
#include "unit/operators/cpu_vectors.hpp"

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace hpclab;
using namespace hpclab::operators;
using namespace hpclab::test;

std::vector<InstructionSet> available() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set : all_instruction_sets)
    if (supported(set)) sets.push_back(set);
  return sets;
}

std::vector<int> quadratures(OperatorKind kind, int degree) {
  if (is_collocated(kind)) return {degree + 1};
  // Two sizes that kernels are compiled for, and one that is read at run time.
  std::vector<int> q = {degree + 1, degree + 2};
  if (degree == 3 || degree == 4) q.push_back(largest_quadrature);
  return q;
}

std::vector<int> sweep_structures(OperatorKind kind) {
  if (is_mass(kind)) return {6};
  return {is_collocated(kind) ? 6 : 12, 18};
}

// Rounding of a sum of 3 n products and a metric; measured errors are a tenth of it.
double tolerance(const ElementOperator& o) {
  return 40 * rounding(o.precision) * o.nodes();
}

// The element kind and the assembled kind with the same element matrix.
struct Pair {
  OperatorKind element, assembled;
};
constexpr Pair all_pairs[] = {{OperatorKind::bk1, OperatorKind::bp1},
                              {OperatorKind::bk3, OperatorKind::bp3},
                              {OperatorKind::bk5, OperatorKind::bp5}};

// All ways to compute what `o` says, in element and in assembled vectors, against the oracle.
void check_all_ways(ElementOperator o, const Pair& kinds, const HexMesh& mesh,
                    const std::vector<Geometry>& shapes) {
  const auto u = scattered(grid_size(o, mesh));
  const auto copies = gathered(o, mesh, u);
  const auto images = brute_force(o, mesh, copies);
  const auto sum = assembled(o, mesh, images);
  for (const InstructionSet isa : available())
    for (const Precision precision : {Precision::fp64, Precision::fp32})
      for (const Geometry geometry : shapes)
        for (const int sweeps : sweep_structures(o.kind))
          for (const bool even_odd : {false, true}) {
            o.precision = precision;
            o.geometry = geometry;
            o.sweeps = sweeps;
            o.even_odd = even_odd;
            INFO(describe(o, isa));
            o.kind = kinds.element;
            CpuOperator element(o, mesh, isa);
            CHECK(relative_error(apply(element, mesh, copies), images) <= tolerance(o));
            o.kind = kinds.assembled;
            CpuOperator whole(o, mesh, isa);
            CHECK(relative_error(apply(whole, mesh, u), sum) <= tolerance(o));
          }
}

constexpr OperatorKind all_kinds[] = {OperatorKind::bk1, OperatorKind::bk3, OperatorKind::bk5,
                                      OperatorKind::bp1, OperatorKind::bp3, OperatorKind::bp5};

}  // namespace

TEST_CASE("does every kernel give the sums of the definition on bent elements?") {
  // 18 and 6 elements are no multiple of the lanes and have neighbours on all sides.
  for (int degree = smallest_degree; degree <= largest_degree; ++degree) {
    const HexMesh mesh(degree <= 3   ? BoxSplit{3, 3, 2}
                       : degree <= 5 ? BoxSplit{3, 2, 1}
                       : degree <= 8 ? BoxSplit{2, 1, 1}
                                     : BoxSplit{1, 1, 1},
                       bent_cube);
    for (const Pair& kinds : all_pairs)
      for (const int quadrature : quadratures(kinds.element, degree)) {
        ElementOperator o;
        o.kind = kinds.element;
        o.degree = degree;
        o.quadrature = quadrature;
        check_all_ways(o, kinds, mesh, {Geometry::stored, Geometry::trilinear});
      }
  }
}

TEST_CASE("do affine, trilinear and stored geometry agree on parallelepipeds?") {
  for (const int degree : {1, 2, 3, 4, 5, 8}) {
    const HexMesh mesh(degree <= 3 ? BoxSplit{3, 1, 3} : BoxSplit{1, 1, 2}, sheared_cube);
    for (const Pair& kinds : all_pairs) {
      ElementOperator o;
      o.kind = kinds.element;
      o.degree = degree;
      o.quadrature = quadratures(kinds.element, degree).back();
      check_all_ways(o, kinds, mesh, {Geometry::stored, Geometry::trilinear, Geometry::affine});
    }
  }
}

TEST_CASE("do all mesh shapes and element counts give the sums of the definition?") {
  for (const BoxSplit split : {BoxSplit{1, 1, 1}, BoxSplit{8, 1, 1}, BoxSplit{17, 1, 1},
                               BoxSplit{1, 1, 9}, BoxSplit{1, 20, 1}, BoxSplit{8, 2, 2},
                               BoxSplit{5, 4, 3}, BoxSplit{2, 2, 9}, BoxSplit{16, 2, 1}}) {
    const HexMesh mesh(split, bent_cube);
    for (const Pair& kinds : all_pairs) {
      ElementOperator o;
      o.kind = kinds.element;
      o.degree = 2;
      o.quadrature = is_collocated(o.kind) ? 3 : 4;
      check_all_ways(o, kinds, mesh, {Geometry::stored});
    }
  }
}

TEST_CASE("does an operator in parts give the numbers of one part, whatever their order?") {
  const HexMesh mesh({5, 5, 4}, bent_cube);
  for (const OperatorKind kind : {OperatorKind::bk5, OperatorKind::bp5, OperatorKind::bp1})
    for (const Precision precision : {Precision::fp64, Precision::fp32})
      for (const int parts : {2, 3, 7, 20}) {
        ElementOperator o;
        o.kind = kind;
        o.degree = 3;
        o.quadrature = is_collocated(kind) ? 4 : 5;
        o.precision = precision;
        const auto u = scattered(oracle_size(o, mesh));
        const auto expected = is_assembled(kind)
                                  ? assembled(o, mesh, brute_force(o, mesh, gathered(o, mesh, u)))
                                  : brute_force(o, mesh, u);
        for (const InstructionSet isa : available()) {
          CpuOperator cpu(o, mesh, isa, parts);
          INFO(describe(o, isa) << " in " << parts << " parts");
          CHECK(relative_error(apply(cpu, mesh, u), expected) <= tolerance(o));
          if (precision != Precision::fp64) continue;
          const auto in = to_layout<double>(cpu, mesh, u);
          std::vector<double> forward(in.size(), 1e30), backward(in.size(), -1e30);
          cpu.apply(in, forward);
          for (int part = parts - 1; part >= 0; --part) cpu.apply_part(part, in, backward);
          for (int part = parts - 1; part >= 0; --part)
            cpu.exchange_part(part, std::span(backward));
          CHECK(forward == backward);
          CHECK(cpu.needs_exchange() == is_assembled(kind));
        }
      }
}

TEST_CASE("do threads of the caller's own give the same numbers as one thread?") {
  const HexMesh mesh({6, 5, 5}, bent_cube);
  ElementOperator o;
  o.kind = OperatorKind::bp5;
  o.degree = 4;
  o.quadrature = 5;
  const int parts = 4;
  const RunParts threads = [&](const std::function<void(int)>& task) {
    std::vector<std::thread> team;
    for (int part = 0; part < parts; ++part) team.emplace_back(task, part);
    for (std::thread& member : team) member.join();
  };
  CpuOperator in_turn(o, mesh, available().back(), parts);
  CpuOperator at_once(o, mesh, available().back(), parts, threads);
  const auto in = to_layout<double>(in_turn, mesh, scattered(oracle_size(o, mesh)));
  std::vector<double> expected(in.size()), got(in.size());
  in_turn.apply(in, expected);
  for (int repeat = 0; repeat < 10; ++repeat) {
    at_once.apply(in, got, threads);
    CHECK(got == expected);
  }
}

TEST_CASE("does padding stay zero?") {
  const HexMesh mesh({3, 1, 1}, sheared_cube);
  for (const OperatorKind kind : all_kinds)
    for (const Geometry geometry : {Geometry::stored, Geometry::trilinear, Geometry::affine}) {
      ElementOperator o;
      o.kind = kind;
      o.degree = 2;
      o.quadrature = is_collocated(kind) ? 3 : 4;
      o.geometry = geometry;
      o.sweeps = sweep_structures(kind).front();
      for (const InstructionSet isa : available()) {
        CpuOperator cpu(o, mesh, isa);
        const auto in = to_layout<double>(cpu, mesh, scattered(oracle_size(o, mesh)));
        std::vector<double> out(in.size(), 3);
        cpu.apply(in, out);
        std::vector<bool> used(in.size());
        for_each_node(cpu, mesh, [&](std::size_t entry, std::size_t) { used[entry] = true; });
        INFO(describe(o, isa));
        for (std::size_t i = 0; i < out.size(); ++i)
          if (!used[i]) CHECK(out[i] == 0);
      }
    }
}

TEST_CASE("are operators that do not exist refused with what would be valid?") {
  const HexMesh mesh({1, 1, 1});
  const auto message = [&](auto change) -> std::string {
    ElementOperator o;
    change(o);
    try {
      CpuOperator cpu(o, mesh, InstructionSet::scalar);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message([](auto& o) { o.degree = 0; }) == "degree = 0 is out of range; valid is 1 to 12");
  CHECK(message([](auto& o) { o.degree = 13; }).find("1 to 12") != std::string::npos);
  CHECK(message([](auto& o) { o.quadrature = 7; }).find("valid is 6") != std::string::npos);
  CHECK(message([](auto& o) {
          o.kind = OperatorKind::bk3;
          o.sweeps = 12;
          o.quadrature = 15;
        }).find("valid is 6 to 14") != std::string::npos);
  CHECK(message([](auto& o) { o.sweeps = 12; }) ==
        "sweeps = 12 does not exist for bk5 and bp5; valid are 6 and 18");
  CHECK(message([](auto& o) {
          o.kind = OperatorKind::bp1;
          o.sweeps = 18;
        }).find("valid is 6") != std::string::npos);
  CHECK_THROWS_AS(CpuOperator(ElementOperator{}, mesh, InstructionSet::scalar, 0), UsageError);
  CpuOperator cpu(ElementOperator{}, mesh, InstructionSet::scalar);
  std::vector<double> right(cpu.layout().entries()), wrong(right.size() + 1);
  std::vector<float> single(right.size());
  CHECK_THROWS_AS(cpu.apply(right, wrong), UsageError);
  CHECK_THROWS_AS(cpu.apply(wrong, right), UsageError);
  CHECK_THROWS_AS(cpu.apply(single, single), UsageError);
}

TEST_CASE("are elements without an operator refused with their place?") {
  const auto reason = [](const CubeMap& map, Geometry geometry) -> std::string {
    try {
      const HexMesh mesh({2, 1, 1}, map);
      ElementOperator o;
      o.geometry = geometry;
      CpuOperator cpu(o, mesh, InstructionSet::scalar);
    } catch (const CaseFailed& error) {
      return error.what();
    }
    return "";
  };
  const auto holds = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  for (const Geometry geometry : {Geometry::stored, Geometry::trilinear, Geometry::affine}) {
    CHECK(reason(unit_cube, geometry).empty());
    const auto inverted = reason([](const Point& x) { return Point{-x[0], x[1], x[2]}; }, geometry);
    CHECK(holds(inverted, "element 0 is folded, inverted or flat"));
    const auto flat = reason([](const Point& x) { return Point{x[0], x[1], 0}; }, geometry);
    CHECK(holds(flat, "folded, inverted or flat"));
    const auto undefined = reason(
        [](const Point& x) {
          return Point{x[0] > 0.9 ? std::nan("") : x[0], x[1], x[2]};
        },
        geometry);
    CHECK(holds(undefined, "vertex (2, 0, 0) of the mesh has a coordinate that is not finite"));
    const auto huge = reason(
        [](const Point& x) {
          return Point{1e200 * x[0], 1e200 * x[1], x[2]};
        },
        geometry);
    CHECK(holds(huge, "undefined"));
  }
  CHECK(holds(reason(bent_cube, Geometry::affine), "is no parallelepiped"));
  const auto dent = [](const Point& x) {
    return Point{x[0], x[1], x[0] < 0.9 ? x[2] : x[2] * (1 - 1.5 * x[1])};
  };
  CHECK(holds(reason(dent, Geometry::stored), "element 1 is folded"));
}
