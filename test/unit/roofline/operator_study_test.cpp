// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/study.hpp"
#include "machine/cpu_features.hpp"
#include "operators/direct_evaluation.hpp"
#include "operators/hex_mesh.hpp"
#include "roofline/operator/measure.hpp"
#include "roofline/operator/sweet_spot.hpp"
#include "roofline/operator/verify.hpp"
#include "support/catch.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::roofline::operator_;
using operators::ElementOperator;
using operators::OperatorKind;

namespace {

Json record(const std::string& method, int degree, double ps, const Json& more = Json::object()) {
  Json parameters = {{"operator", "bp5"}, {"degree", degree}, {"quadrature", degree + 1}};
  parameters.update(more);
  Json result = {{"method", method},
                 {"status", "ok"},
                 {"parameters", parameters},
                 {"values", {{"time_per_dof_ps", ps}}},
                 {"text", Json::object()}};
  if (method == "model")
    result["text"] = {{"bound", "dram"}, {"next_limit", "shared memory, 1.7x away"}};
  else
    result["values"]["model_error_ratio"] = 0.1;
  return result;
}

std::vector<std::string> lines_of(std::vector<Json> records) {
  RunSummary summary;
  summary.records = std::move(records);
  return conclude(summary);
}

ElementOperator described(OperatorKind kind, int degree) {
  ElementOperator o;
  o.kind = kind;
  o.degree = degree;
  o.quadrature = operators::usual_quadrature(kind, degree);
  o.sweeps = operators::fewest_sweeps(kind);
  return o;
}

}  // namespace

TEST_CASE(
    "operator: is the sweet spot the measured minimum, with the predicted one and the limits?") {
  const auto lines =
      lines_of({record("model", 7, 23), record("model", 8, 22), record("model", 9, 22.5),
                record("measure", 7, 24), record("measure", 8, 25), record("measure", 9, 26)});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] ==
        "sweet spot p = 7, 24 ps/DOF (predicted p = 8); bound by dram, the next limit is shared "
        "memory, 1.7x away");
}

TEST_CASE("operator: is there a sweet spot for each series, told apart by what differs?") {
  const auto lines = lines_of({record("measure", 2, 5, {{"geometry", "affine"}}),
                               record("measure", 3, 4, {{"geometry", "affine"}}),
                               record("measure", 2, 7, {{"geometry", "stored"}}),
                               record("measure", 3, 8, {{"geometry", "stored"}})});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find("geometry=affine: sweet spot p = 3") == 0);
  CHECK(lines[1].find("geometry=stored: sweet spot p = 2") == 0);
  // Elements follow from the degree here, and are swept there.
  CHECK(lines_of({record("measure", 2, 5, {{"elements", 100}}),
                  record("measure", 3, 4, {{"elements", 30}})})
            .size() == 1);
  CHECK(lines_of({record("measure", 2, 5, {{"elements", 100}}),
                  record("measure", 2, 5, {{"elements", 30}}),
                  record("measure", 3, 4, {{"elements", 100}}),
                  record("measure", 3, 4, {{"elements", 30}})})
            .size() == 2);
  CHECK(lines_of({record("measure", 2, 5)}).empty());
}

TEST_CASE("operator: is a measurement whose prediction is of another machine told what to do?") {
  Json lonely = record("measure", 2, 5);
  lonely["values"].erase("model_error_ratio");
  const auto lines = lines_of({record("model", 2, 5), lonely});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("hpclab roofline ceilings") != std::string::npos);
}

TEST_CASE("operator: do prediction and measurement together give error, share and names?") {
  const Json prediction = {
      {"values", {{"time_per_dof_ps", 20.0}, {"fraction_of_bound_ratio", 0.8}}},
      {"text", {{"bound", "l3"}, {"next_limit", "l2, 2x away"}}}};
  Result measured;
  measured.set_value("time_per_dof_ps", 25);
  compare(prediction, measured);
  CHECK(*measured.value("model_error_ratio") == Catch::Approx(0.25));
  CHECK(*measured.value("fraction_of_bound_ratio") == Catch::Approx(16. / 25));
  CHECK(measured.text()["bound"] == "l3");
  Result emulated;
  compare(prediction, emulated);
  CHECK(emulated.values().empty());
}

TEST_CASE("operator: does the direct evaluation integrate polynomials exactly on a sheared cube?") {
  // Mass: the sum over all entries of M 1 is the volume. Laplacian: A 1 = 0, and for u = x the
  // energy is the volume too.
  const operators::HexMesh mesh({1, 1, 1}, operators::sheared_cube);
  const auto corners = mesh.corners(0);
  double volume = 0;
  {
    operators::Point a{}, b{}, c{};
    for (std::size_t d = 0; d < 3; ++d) {
      a[d] = corners[1][d] - corners[0][d];
      b[d] = corners[2][d] - corners[0][d];
      c[d] = corners[4][d] - corners[0][d];
    }
    volume = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
             a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  for (int degree = 1; degree <= 4; ++degree) {
    const std::size_t size = static_cast<std::size_t>(std::pow(degree + 1, 3));
    const std::vector<double> ones(size, 1.0);
    double sum = 0;
    for (const double entry :
         operators::DirectEvaluation(described(OperatorKind::bk1, degree)).apply(corners, ones))
      sum += entry;
    CHECK(sum == Catch::Approx(volume).epsilon(1e-12));
    for (const OperatorKind kind : {OperatorKind::bk3, OperatorKind::bk5}) {
      for (const double entry :
           operators::DirectEvaluation(described(kind, degree)).apply(corners, ones))
        CHECK(std::abs(entry) < 1e-11);
    }
  }
}

TEST_CASE("operator: does verification accept the right result and find one wrong node?") {
  const operators::HexMesh mesh({3, 2, 2}, operators::deformed_cube);
  const ElementOperator o = described(OperatorKind::bk5, 3);
  const operators::DirectEvaluation direct(o);
  const int n = o.nodes();
  const auto number = [&](std::int64_t element, int i, int j, int k) {
    return std::sin(static_cast<double>(((element * n + k) * n + j) * n + i));
  };
  const auto exact = [&](std::int64_t element, int i, int j, int k) {
    std::vector<double> u;
    for (int kk = 0; kk < n; ++kk)
      for (int jj = 0; jj < n; ++jj)
        for (int ii = 0; ii < n; ++ii) u.push_back(number(element, ii, jj, kk));
    return direct.apply(mesh.corners(element), u)[static_cast<std::size_t>((k * n + j) * n + i)];
  };
  CHECK(verify(o, mesh, {5, 11}, number, exact).nodes == 2 * 64);
  const auto wrong = [&](std::int64_t element, int i, int j, int k) {
    return exact(element, i, j, k) + (i == 2 && j == 1 && k == 3 ? 1e-9 : 0);
  };
  CHECK_THROWS_AS(verify(o, mesh, {5}, number, wrong), CaseFailed);
  const auto broken = [&](std::int64_t, int, int, int) { return std::nan(""); };
  CHECK_THROWS_AS(verify(o, mesh, {5}, number, broken), CaseFailed);
}

TEST_CASE("operator: does a small measurement on this processor verify every kind it can run?") {
  Context context;
  context.sampler.stopping_rule = "count:6";
  for (const auto& [kind, vector] : {std::pair{OperatorKind::bk1, "element"},
                                     {OperatorKind::bk3, "element"},
                                     {OperatorKind::bk5, "element"},
                                     {OperatorKind::bp1, "assembled"},
                                     {OperatorKind::bp3, "assembled"},
                                     {OperatorKind::bp5, "assembled"}}) {
    Parameters p;
    p.kind = kind;
    p.vector = vector;
    p.degree = 3;
    p.quadrature = operators::usual_quadrature(kind, 3);
    p.sweeps = operators::fewest_sweeps(kind);
    p.elements = 60;
    p.threads = 1;
    p.isa = machine::widest_instruction_set();
    for (const auto precision : {operators::Precision::fp64, operators::Precision::fp32}) {
      p.precision = precision;
      const Result result = measure(p, Backend::cpu, context);
      CHECK(*result.value("verified_count") > 64);
      CHECK(*result.value("dof_count") == 60 * 27);
      CHECK(*result.value("time_s") > 0);
      CHECK(result.interval("time_per_dof_ps"));
    }
  }
}
