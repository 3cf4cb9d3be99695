// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Synthetic sweeps whose levels are known.
#include "core/error.hpp"
#include "roofline/ceilings/levels.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace {

using namespace hpclab::roofline::ceilings;

constexpr double kib = 1024, mib = 1024 * kib;

std::vector<SweepPoint> sweep(const std::function<double(double)>& value, double noise = 0,
                              unsigned seed = 1, std::size_t from = 4096,
                              std::size_t to = std::size_t{1} << 30) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 1);
  std::vector<SweepPoint> points;
  for (const std::size_t bytes : sweep_sizes(from, to, 6)) {
    const auto x = static_cast<double>(bytes);
    points.push_back({x, value(x) * std::exp(noise * normal(random))});
  }
  return points;
}

// Share of the working set that stays in a cache of that capacity under cyclic access with random
// replacement: all of it up to the capacity, then falling to nothing over one octave.
double smooth_step(double bytes, double capacity) {
  const double t = std::clamp(std::log2(bytes / capacity), 0.0, 1.0);
  return 1 - t;
}

double four_levels(double bytes) {
  const double l1 = smooth_step(bytes, 32 * kib), l2 = smooth_step(bytes, mib),
               l3 = smooth_step(bytes, 32 * mib);
  // Times per byte add: what misses a level is served by the next.
  const double seconds =
      l1 / 220e9 + (1 - l1) * (l2 / 110e9 + (1 - l2) * (l3 / 60e9 + (1 - l3) / 25e9));
  return 1 / seconds;
}

TEST_CASE(
    "Are L1, L2, L3 and DRAM of a clean sweep found, with capacities within the step's octave?",
    "[roofline]") {
  const LevelMap map = detect_levels(sweep(four_levels), SweepTrend::falling);
  REQUIRE(map.levels.size() == 4);
  CHECK(map.levels[0].value == Catch::Approx(220e9).epsilon(0.03));
  CHECK(map.levels[1].value == Catch::Approx(110e9).epsilon(0.03));
  CHECK(map.levels[2].value == Catch::Approx(60e9).epsilon(0.03));
  CHECK(map.levels[3].value == Catch::Approx(25e9).epsilon(0.03));
  const double capacities[] = {32 * kib, mib, 32 * mib};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(map.boundaries[i].bytes >= capacities[i]);
    CHECK(map.boundaries[i].bytes <= 2 * capacities[i]);
    CHECK(map.levels[i].last_bytes <= 1.2 * capacities[i]);
  }
}

TEST_CASE("Are the four levels found in 20 of 20 sweeps with 5 % noise?", "[roofline]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const LevelMap map = detect_levels(sweep(four_levels, 0.05, seed), SweepTrend::falling);
    INFO("seed " << seed);
    REQUIRE(map.levels.size() == 4);
    CHECK(map.levels[0].value == Catch::Approx(220e9).epsilon(0.06));
    CHECK(map.levels[2].value == Catch::Approx(60e9).epsilon(0.12));
    CHECK(map.levels[3].value == Catch::Approx(25e9).epsilon(0.06));
    CHECK(map.boundaries[1].bytes >= 0.8 * mib);
    CHECK(map.boundaries[1].bytes <= 2.2 * mib);
    CHECK(map.noise == Catch::Approx(0.05).epsilon(0.5));
  }
}

TEST_CASE("Are three levels three when L2 and L3 are equally fast?", "[roofline]") {
  const auto value = [](double bytes) {
    return bytes <= 48 * kib ? 300e9 : bytes <= 40 * mib ? 100e9 : 20e9;
  };
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const LevelMap map = detect_levels(sweep(value, 0.05, seed), SweepTrend::falling);
    REQUIRE(map.levels.size() == 3);
    CHECK(map.boundaries[0].bytes == Catch::Approx(48 * kib).epsilon(0.13));
    CHECK(map.boundaries[1].bytes == Catch::Approx(40 * mib).epsilon(0.13));
    CHECK(map.boundaries[0].ratio == Catch::Approx(3).epsilon(0.05));
  }
}

TEST_CASE("Does a shared L3 that fades over three octaves stay one level with one boundary?",
          "[roofline]") {
  const auto value = [](double bytes) {
    const double t = std::clamp(std::log2(bytes / (12 * mib)) / 3, 0.0, 1.0);
    return bytes <= mib ? 120e9 : 70e9 * std::pow(20.0 / 70.0, t);
  };
  const LevelMap map = detect_levels(sweep(value, 0.02, 3), SweepTrend::falling);
  REQUIRE(map.levels.size() == 3);
  CHECK(map.boundaries[1].bytes > 12 * mib);
  CHECK(map.boundaries[1].bytes < 96 * mib);
  CHECK(map.levels[1].value == Catch::Approx(70e9).epsilon(0.06));
}

TEST_CASE("Does a rising trend find levels in latency?", "[roofline]") {
  const auto value = [](double bytes) {
    return bytes <= 32 * kib ? 1.1e-9 : bytes <= mib ? 3.8e-9 : bytes <= 32 * mib ? 13e-9 : 110e-9;
  };
  const LevelMap map = detect_levels(sweep(value, 0.05, 9), SweepTrend::rising);
  REQUIRE(map.levels.size() == 4);
  CHECK(map.levels[3].value == Catch::Approx(110e-9).epsilon(0.05));
  CHECK(map.boundaries[2].bytes == Catch::Approx(32 * mib).epsilon(0.13));
}

TEST_CASE("Does a flat sweep have one level and no boundary, whatever the noise?", "[roofline]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const LevelMap map =
        detect_levels(sweep([](double) { return 50e9; }, 0.05, seed), SweepTrend::falling);
    INFO("seed " << seed);
    CHECK(map.levels.size() == 1);
    CHECK(map.boundaries.empty());
  }
}

TEST_CASE("Are single wild points ignored?", "[roofline]") {
  auto points = sweep(four_levels, 0.01, 2);
  for (std::size_t i = 7; i < points.size(); i += 17) points[i].value *= 0.4;
  CHECK(detect_levels(points, SweepTrend::falling).levels.size() == 4);
}

TEST_CASE("Is the slow start of tiny working sets not taken for a level?", "[roofline]") {
  const auto value = [](double bytes) {
    return four_levels(bytes) * (bytes < 8 * kib ? 0.7 : 1.0);
  };
  const LevelMap map = detect_levels(sweep(value, 0.01, 4, 2048), SweepTrend::falling);
  REQUIRE(map.levels.size() == 4);
  CHECK(map.levels[0].value == Catch::Approx(220e9).epsilon(0.03));
}

TEST_CASE("Does the order of the points not matter?", "[roofline]") {
  auto points = sweep(four_levels, 0.03, 5);
  const LevelMap forward = detect_levels(points, SweepTrend::falling);
  std::reverse(points.begin(), points.end());
  const LevelMap backward = detect_levels(points, SweepTrend::falling);
  REQUIRE(forward.levels.size() == backward.levels.size());
  for (std::size_t i = 0; i < forward.boundaries.size(); ++i) {
    CHECK(forward.boundaries[i].bytes == backward.boundaries[i].bytes);
  }
}

TEST_CASE(
    "Are known sizes compared with the nearest boundary, and left alone beyond a factor of 2?",
    "[roofline]") {
  LevelMap map;
  map.boundaries = {{36 * kib, 2}, {40 * mib, 3}};
  const std::vector<KnownSize> known = {{"L1", 32 * kib}, {"L2", mib}, {"L3", 32 * mib}};
  const auto compared = compare_sizes(map, known);
  REQUIRE(compared.size() == 3);
  CHECK(compared[0].ratio == Catch::Approx(1.125));
  CHECK(compared[1].boundary_bytes == 0);
  CHECK(compared[2].ratio == Catch::Approx(1.25));
}

TEST_CASE("Do sweep sizes include both ends, ascend, and keep the granularity?", "[roofline]") {
  const auto sizes = sweep_sizes(4096, 1 << 20, 4);
  CHECK(sizes.front() == 4096);
  CHECK(sizes.back() == 1 << 20);
  CHECK(sizes.size() == 8 * 4 + 1);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK(sizes[i] % 64 == 0);
    if (i > 0) CHECK(sizes[i] > sizes[i - 1]);
  }
  CHECK(sweep_sizes(5000, 5000, 3, 512) == std::vector<std::size_t>{5120});
  CHECK(sweep_sizes(512, 4096, 64, 512).size() == 8);
  CHECK_THROWS_AS(sweep_sizes(4096, 1024, 4), hpclab::UsageError);
  CHECK_THROWS_AS(sweep_sizes(64, 128, 0), hpclab::UsageError);
}

}  // namespace
