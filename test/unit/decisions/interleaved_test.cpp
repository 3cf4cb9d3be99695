// hpclab: SPDX-License-Identifier: Apache-2.0
#include "decisions/interleaved.hpp"

#include "support/catch.hpp"

#include <array>
#include <cmath>
#include <random>

using namespace hpclab;
using namespace hpclab::decisions;

TEST_CASE("does a linear drift cancel from a block, whichever side begins") {
  // Costs exp(0.1 i) at time i, and B is 2 % slower on top.
  const double slower = std::log(1.02);
  std::array<double, 4> costs{};
  for (const bool b_first : {false, true}) {
    for (std::size_t i = 0; i < 4; ++i) {
      const bool inner = i == 1 || i == 2;
      costs[i] = std::exp(0.1 * static_cast<double>(i) + (inner != b_first ? slower : 0.0));
    }
    CHECK(block_difference(costs, b_first) == Catch::Approx(slower).epsilon(1e-12));
  }
}

TEST_CASE("does the level grow with the looks, from nothing to all of it") {
  CHECK(level_of_looks(0, 0.01) == 0.0);
  for (std::size_t looks = 1; looks <= budget_looks; ++looks)
    CHECK(level_of_looks(looks, 0.01) > level_of_looks(looks - 1, 0.01));
  CHECK(level_of_looks(budget_looks, 0.01) == Catch::Approx(0.01).epsilon(1e-12));
}

TEST_CASE("do equal sides raise at most 1 % of alarms over all looks, and a clear shift one") {
  std::mt19937_64 random(5);
  std::student_t_distribution<double> heavy(2.5);  // outliers as on a shared machine
  int alarms = 0;
  int found = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    InterleavedDecision null(1, {});
    InterleavedDecision shifted(1, {});
    for (std::size_t look = 0; look < budget_looks; ++look) {
      for (int block = 0; block < 7; ++block) {
        null.add(0, 0.002 * heavy(random));
        shifted.add(0, 0.01 + 0.002 * heavy(random));
      }
      null.look(look + 1);
      shifted.look(look + 1);
    }
    const Verdict verdict = null.findings()[0].verdict;
    alarms += verdict == Verdict::slow || verdict == Verdict::fast;
    found += shifted.findings()[0].verdict == Verdict::slow;
  }
  CHECK(alarms <= 0.01 * trials + 3 * std::sqrt(0.01 * trials));
  CHECK(found >= 0.95 * trials);
}

TEST_CASE("does the detectable shift follow the noise and the number of blocks") {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal(0.0, 0.01);
  std::vector<double> quiet(30);
  std::vector<double> loud(30);
  for (std::size_t i = 0; i < 30; ++i) {
    quiet[i] = normal(random);
    loud[i] = 10.0 * quiet[i];
  }
  const double base = detectable_shift(quiet, 30, 0.0036);
  // Of normal noise: (2.91 + 2.33) sigma / sqrt(0.955 n) for 99 % power = 0.0098; times 1.18.
  CHECK(base == Catch::Approx(0.0116).epsilon(0.35));
  CHECK(detectable_shift(loud, 30, 0.0036) == Catch::Approx(10.0 * base).epsilon(0.1));
  CHECK(detectable_shift(quiet, 90, 0.0036) < 0.7 * base);
  CHECK(std::isinf(detectable_shift(quiet, 8, 0.0036)));
  CHECK(std::isinf(detectable_shift(std::vector<double>{1.0, 2.0}, 30, 0.0036)));
}
