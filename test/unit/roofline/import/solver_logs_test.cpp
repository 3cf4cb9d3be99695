// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Lines of nekRS, hipBone and deal.II against the counts of the operators.
#include "roofline/import/log.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/text.hpp"
#include "unit/roofline/import/samples.hpp"

#include <string>

#include <fmt/format.h>

using namespace hpclab;
using namespace hpclab::test;
using roofline::import::Log;
using roofline::import::Point;

TEST_CASE("nekrs: do the counts of the published line follow exactly from degree and elements?") {
  // A100, order 7, 4096 elements: 1.404928e6 DOF, 134,217,728 B, 232,783,872 flop.
  const Log log = log_of(nekrs_log);
  CHECK(log.format == "nekrs");
  REQUIRE(log.points.size() == 2);
  const Point& fp64 = log.points[0];
  CHECK(fp64.name == "axhelm p=7 fp64 4096 elements");
  CHECK(fp64.dof == 1404928);
  CHECK(fp64.bytes.at("dram") == 134217728);
  CHECK(fp64.flops == 232783872);
  CHECK(fp64.precision == "fp64");
  CHECK(fp64.dof / fp64.time_s.value == Catch::Approx(12.867e9).epsilon(5e-4));
  CHECK(fp64.bytes.at("dram") / fp64.time_s.value == Catch::Approx(1229.2e9).epsilon(5e-4));
  CHECK(fp64.flops / fp64.time_s.value == Catch::Approx(2131.9e9).epsilon(5e-4));
  CHECK(contradictions_of(fp64).empty());
  const Point& fp32 = log.points[1];
  CHECK(fp32.dof / fp32.time_s.value == Catch::Approx(24.0115e9).epsilon(5e-4));
  CHECK(fp32.bytes.at("dram") / fp32.time_s.value == Catch::Approx(1146.95e9).epsilon(5e-4));
  CHECK(fp32.flops / fp32.time_s.value == Catch::Approx(3978.49e9).epsilon(5e-4));
  CHECK(contradictions_of(fp32).empty());
}

TEST_CASE("nekrs: is each wrong figure of a line found?") {
  const std::string line = nekrs_log.substr(0, nekrs_log.find('\n') + 1);
  CHECK(contains(contradictions_of(only_point(with(line, "2131.91", "1065.95"))),
                 "half, as if a multiply-add were one operation"));
  CHECK(contains(contradictions_of(only_point(with(line, "1229.21", "1144.79"))),
                 "GiB (2^30) named GB (10^9)"));
  CHECK(contains(contradictions_of(only_point(with(line, "12.8668", "12.9668"))),
                 "GDOF/s is printed"));
  CHECK(contains(contradictions_of(only_point(with(line, "12.8668", "12866.8"))), "unit prefix"));
}

TEST_CASE("nekrs: are the tuner's lines of a solver counted by what they say of the operator?") {
  // Counts of the source: 12 n^4 + 15 n^3, +1 or +3 n^3 for the coefficient, +3 n^3 for the mass
  // term; words 8 n^3, +1 for the determinant, +1 or +2 for coefficients. Order 7: n = 8.
  const double points = 512;
  const auto line = [&](double words, double flops, const std::string& flags) {
    const double rate = 10.1234e9 / 343;  // elements a second
    return fmt::format(
        "Ax: N=7 wordSize=64 GDOF/s=10.1234 GB/s={:.6g} GFLOPS/s={:.6g}{} kernelVer=5\n",
        words * points * 8 * rate / 1e9, (12 * 4096 + flops * points) * rate / 1e9, flags);
  };
  const auto point = [&](double words, double flops, const std::string& flags) {
    return only_point(line(words, flops, flags));
  };
  Point poisson = point(8, 16, " constCoeff=1 poisson=1");
  CHECK(contradictions_of(poisson).empty());
  CHECK(poisson.flops == 12 * 4096 + 16 * points);
  CHECK(poisson.bytes.at("dram") == 8 * points * 8);
  CHECK(poisson.name == "axhelm p=7 fp64 kernel 5");
  CHECK(contradictions_of(point(9, 19, " constCoeff=1 poisson=0")).empty());
  CHECK(contradictions_of(point(9, 18, " constCoeff=0 poisson=1")).empty());
  CHECK(contradictions_of(point(11, 21, " constCoeff=0 poisson=0")).empty());
  // A Helmholtz line that claims to be Poisson.
  CHECK(contains(contradictions_of(point(11, 21, " constCoeff=1 poisson=1")), "ratio 1.375"));
  // Older lines do not say: the variant that fits is taken.
  CHECK(contradictions_of(point(11, 21, "")).empty());
  CHECK(contradictions_of(point(8, 15, "")).empty());
  CHECK_FALSE(contradictions_of(point(10, 30, "")).empty());
}

TEST_CASE("nekrs: are other kernels of the same line format taken as printed, with their DOF?") {
  const Point point = only_point(
      "MPItasks=1 OMPthreads=12 NRepetitions=29453 N=7 Nelements=4096 elapsed time=0.000316299 "
      "wordSize=64 GDOF/s=4.4418 GB/s=342.0 GFLOPS/s=1566.92\n");
  CHECK(contradictions_of(point).empty());
  CHECK(point.flops == Catch::Approx(1566.92e9 * 0.000316299));
  CHECK(point.notes.size() == 1);
}

TEST_CASE("nekrs: are cut lines, zero times and impossible values refused with their line?") {
  const std::string line = nekrs_log.substr(0, nekrs_log.find('\n'));
  CHECK(contains(refused("setup\n" + line.substr(0, line.find("GFLOPS")) + "\n"),
                 "f:2: the line has no 'GFLOPS/s='; was it cut?"));
  CHECK(
      contains(refused(line.substr(0, line.find("2131"))), "f:1: the line ends after 'GFLOPS/s='"));
  CHECK(contains(refused(with(line, "0.00010919", "0")), "'elapsed time=' is 0, not above 0"));
  CHECK(contains(refused(with(line, "0.00010919", "nan")), "which is not finite"));
  CHECK(contains(refused(with(line, "wordSize=64", "wordSize=48")), "not 32 or 64"));
  CHECK(contains(refused(with(line, "N=7", "N=70")), "'N=' is 70, not 1 to 30"));
}

TEST_CASE("hipbone: do unknowns, figure of merit and both rates follow from the line?") {
  const Point point = only_point(hipbone_log);
  CHECK(point.further_values.at("size_dof") == 37595375);  // (14 x 24 - 1)^3
  CHECK(point.further_values.at("fom_flops_per_s") == Catch::Approx(3479.4e9).epsilon(5e-4));
  CHECK(point.dof / point.time_s.value == Catch::Approx(13.1e9).epsilon(5e-3));
  CHECK(contradictions_of(point).empty());
  CHECK(point.checks.size() == 5);
  CHECK(contains(contradictions_of(only_point(with(hipbone_log, "3479.4", "1739.7"))),
                 "NekBone FOM is printed as 1.740 Tflop/s"));
  CHECK(
      contains(contradictions_of(only_point(with(hipbone_log, "2732.2", "2543.0"))), "GiB (2^30)"));
  CHECK(contains(contradictions_of(only_point(with(hipbone_log, "7.63e-09", "7.63e-06"))),
                 "another unit prefix"));
}

TEST_CASE("hipbone: are ranks, boxes that are no cubes and cut lines told?") {
  // On 4 ranks the last figure is a quarter.
  const Point four = only_point(with(hipbone_log, "1.31e+10", "3.27e+09"));
  CHECK(contradictions_of(four).empty());
  CHECK(four.notes == std::vector<std::string>{"4 ranks"});
  const Point box = only_point(with(hipbone_log, "37595375", "37595376"));
  CHECK(box.flops == Catch::Approx(3412.4e9 * 0.287));
  CHECK(contains(box.notes.back(), "not those of a cube of elements"));
  CHECK(contains(refused("hipBone: 14, 37595375, 0.2870, 100, 7.63e-09\n"),
                 "f:1: 5 figures, but a result of hipBone has 8; was the line cut?"));
  CHECK(contains(refused(with(hipbone_log, "0.2870", "-1")), "'elapsed' is -1, not above 0"));
}

TEST_CASE("deal.II: do the rows of the published table give its rates?") {
  const Log log = log_of(dealii_log);
  REQUIRE(log.points.size() == 2);
  const Point& point = log.points[1];
  CHECK(point.name == "bp5 p=4 135005697 unknowns");
  CHECK(point.dof / point.time_s.value == Catch::Approx(1.60e9).epsilon(0.005));
  CHECK(contradictions_of(point).empty());
  // Per element, n = 5: 12 n^4 + 15 n^3 operations, 6 n^3 numbers of metric and 4-byte indices.
  CHECK(point.flops == 2097152.0 * (12 * 625 + 15 * 125));
  CHECK(point.bytes.at("") == 16.0 * 135005697 + 2097152.0 * (48 * 125 + 4 * 125));
}

TEST_CASE("deal.II: are further variants, wrong unknowns and rates, and cut rows seen?") {
  const Log more = log_of(
      " p   q  n_element  n_dofs  time/it  dofs/s/it  itCG  time/matvec  timeMVmerge timeMVcompu "
      "timeMVlinear\n 5 7 524288 66049281 0.207593 3.18168e+08 1000 0.155682 0.107586 0.119641 "
      "0.0827846\n");
  REQUIRE(more.points.size() == 3);
  CHECK(more.points[0].name == "bp3 p=5 66049281 unknowns");
  CHECK(more.points[1].name == "bp3 p=5 66049281 unknowns merged metric");
  CHECK(more.points[2].name == "bp3 p=5 66049281 unknowns trilinear");
  CHECK(more.points[2].bytes.at("") < 0.5 * more.points[1].bytes.at(""));
  CHECK(contradictions_of(more.points[0]).empty());
  CHECK(contains(contradictions_of(log_of(with(dealii_log, "67634433", "67634434")).points[0]),
                 "67634434 unknowns are those of no box of 1048576 elements of degree 4"));
  CHECK(
      contains(contradictions_of(log_of(with(dealii_log, "7.24088e+08", "7.24088e+05")).points[0]),
               "dofs/s/it is printed"));
  CHECK(contains(refused(dealii_log.substr(0, dealii_log.rfind("100"))),
                 "f:3: 6 fields, but the header has 8; the file ends within this line"));
  CHECK(contains(refused(with(dealii_log, "time/matvec", "time")),
                 "f:1: missing column 'time/matvec'; found p, q, n_element"));
  CHECK(contains(refused(with(dealii_log, " 4   5    1048576", " 4   4    1048576")),
                 "'q' is 4, not 5 to 60"));
}
