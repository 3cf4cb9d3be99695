// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/littles_law.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <random>
#include <vector>

namespace {

using namespace hpclab::roofline::ceilings;

double curve(double lines, double latency_s, double max_bytes_per_s, double sharpness) {
  const double little = 64 * lines / latency_s;
  return std::pow(std::pow(little, -sharpness) + std::pow(max_bytes_per_s, -sharpness),
                  -1 / sharpness);
}

TEST_CASE("Does the fit return latency, ceiling and corner of an exact curve?", "[roofline]") {
  for (const double sharpness : {1.0, 2.5, 6.0}) {
    std::vector<ConcurrencyPoint> points;
    for (const double lines : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
      points.push_back({lines, curve(lines, 110e-9, 9.3e9, sharpness)});
    }
    const LittlesLawFit fit = fit_littles_law(points);
    INFO("sharpness " << sharpness);
    CHECK(fit.latency_s == Catch::Approx(110e-9).epsilon(2e-3));
    CHECK(fit.max_bytes_per_s == Catch::Approx(9.3e9).epsilon(2e-3));
    CHECK(fit.sharpness == Catch::Approx(sharpness).epsilon(2e-2));
    CHECK(fit.lines_needed == Catch::Approx(9.3e9 * 110e-9 / 64).epsilon(4e-3));
    CHECK(fit.relative_residual < 1e-3);
    CHECK(fit.bandwidth_bytes_per_s(5) ==
          Catch::Approx(curve(5, 110e-9, 9.3e9, sharpness)).epsilon(2e-3));
  }
}

TEST_CASE("Does it recover a closed-loop DRAM simulation: 16 outstanding lines meet the ceiling?",
          "[roofline]") {
  // Random reads of DDR3-1600 in a public DRAM simulator, GB/s at N outstanding lines (roofline
  // validation table 5).
  const std::vector<ConcurrencyPoint> points = {{1, 1.26e9},  {2, 2.37e9},  {4, 4.32e9},
                                                {8, 7.17e9},  {16, 9.83e9}, {32, 10.79e9},
                                                {64, 11.20e9}};
  const LittlesLawFit fit = fit_littles_law(points);
  CHECK(fit.latency_s == Catch::Approx(64 / 1.26e9).epsilon(0.06));
  CHECK(fit.max_bytes_per_s == Catch::Approx(11.2e9).epsilon(0.06));
  CHECK(fit.relative_residual < 0.03);
  CHECK(fit.saturated);
}

TEST_CASE(
    "With 3 % noise, are latency and ceiling within 4 %, and does the residual show the noise?",
    "[roofline]") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.03);
  std::vector<ConcurrencyPoint> points;
  for (int lines = 1; lines <= 32; ++lines) {
    points.push_back(
        {static_cast<double>(lines), curve(lines, 95e-9, 8e9, 4) * std::exp(noise(random))});
  }
  const LittlesLawFit fit = fit_littles_law(points);
  CHECK(fit.latency_s == Catch::Approx(95e-9).epsilon(0.04));
  CHECK(fit.max_bytes_per_s == Catch::Approx(8e9).epsilon(0.04));
  CHECK(fit.relative_residual > 0.015);
  CHECK(fit.relative_residual < 0.045);
}

TEST_CASE("Is a straight line called unsaturated, with its latency right all the same?",
          "[roofline]") {
  std::vector<ConcurrencyPoint> points;
  for (const double lines : {1, 2, 4, 8}) points.push_back({lines, 64 * lines / 100e-9});
  const LittlesLawFit fit = fit_littles_law(points);
  CHECK_FALSE(fit.saturated);
  CHECK(fit.latency_s == Catch::Approx(100e-9).epsilon(0.01));
  CHECK(fit.lines_kept_per_core == Catch::Approx(8).epsilon(0.01));
}

TEST_CASE("Are the lines in flight divided among the cores that kept them?", "[roofline]") {
  std::vector<ConcurrencyPoint> points;
  for (const double lines : {2, 4, 8, 16, 32, 64})
    points.push_back({lines, curve(lines, 100e-9, 20e9, 8)});
  const LittlesLawFit one = fit_littles_law(points, 1);
  const LittlesLawFit two = fit_littles_law(points, 2);
  CHECK(two.lines_kept_per_core == Catch::Approx(one.lines_kept_per_core / 2));
  CHECK(one.lines_kept_per_core == Catch::Approx(31.25).epsilon(0.02));  // 20e9 x 100e-9 / 64
}

TEST_CASE("Are too few or senseless points refused?", "[roofline]") {
  const std::vector<ConcurrencyPoint> two = {{1, 1e9}, {2, 2e9}};
  const std::vector<ConcurrencyPoint> zero = {{1, 1e9}, {2, 0}, {3, 3e9}};
  CHECK_THROWS_AS(fit_littles_law(two), hpclab::UsageError);
  CHECK_THROWS_AS(fit_littles_law(zero), hpclab::UsageError);
}

}  // namespace
