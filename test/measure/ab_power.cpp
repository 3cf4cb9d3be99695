// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How often `ab` raises a false alarm and finds the shift that it promises, on series drawn from
// recorded process figures; beside a plain U test on the same processes. Called by
// scripts/ab_power.
#include "core/rank_test.hpp"
#include "decisions/interleaved.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace hpclab;
using namespace hpclab::decisions;

// Processes that follow each other share what disturbed them: pieces of the recorded series of
// four, as long as a block, are drawn whole.
class Series {
 public:
  Series(std::vector<double> recorded, unsigned seed)
      : recorded_(std::move(recorded)), random_(seed) {}

  std::array<double, 4> piece() {
    std::array<double, 4> costs{};
    const std::size_t at = random_() % (recorded_.size() - 3);
    for (std::size_t i = 0; i < 4; ++i) costs[i] = recorded_[at + i];
    return costs;
  }

 private:
  std::vector<double> recorded_;
  std::mt19937_64 random_;
};

struct Trial {
  bool alarm;         // ab: SLOW or FAST
  bool u_test;        // plain U test over the same processes at the same level
  double detectable;  // what ab would print
};

// `drift`: relative change of the cost over the whole trial, linear in time.
Trial run(Series& series, std::size_t blocks, double shift, double drift,
          bool want_detectable = false) {
  const DecisionRule rule;
  InterleavedDecision decision(1, rule);
  std::vector<double> a;
  std::vector<double> b;
  std::size_t looks = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const bool b_first = block % 2 == 1;
    std::array<double, 4> costs = series.piece();
    for (std::size_t turn = 0; turn < 4; ++turn) {
      const bool is_b = (turn == 1 || turn == 2) != b_first;
      const double time = static_cast<double>(4 * block + turn) / static_cast<double>(4 * blocks);
      costs[turn] *= (1.0 + drift * time) * (is_b ? 1.0 + shift : 1.0);
      (is_b ? b : a).push_back(costs[turn]);
    }
    decision.add(0, block_difference(costs, b_first));
    const std::size_t due = (block + 1) * budget_looks / blocks;
    if (due > looks) decision.look(looks = due);
  }
  const Verdict verdict = decision.findings()[0].verdict;
  const double last = rule.level - level_of_looks(budget_looks - 1, rule.level);
  return {verdict == Verdict::slow || verdict == Verdict::fast,
          mann_whitney(a, b).p_value <= rule.level,
          want_detectable ? detectable_shift(decision.differences(0), blocks, last) : 0.0};
}

}  // namespace

// FILE (one cost a line) BLOCKS TRIALS DRIFT
int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: ab_power FILE BLOCKS TRIALS DRIFT\n");
    return 2;
  }
  std::ifstream in(argv[1]);
  std::vector<double> recorded;
  for (double value = 0; in >> value;) recorded.push_back(value);
  const auto blocks = static_cast<std::size_t>(std::atol(argv[2]));
  const int trials = std::atoi(argv[3]);
  const double drift = std::atof(argv[4]);
  const double last = DecisionRule().level - level_of_looks(budget_looks - 1, DecisionRule().level);
  if (smallest_signed_rank_p(blocks) > last) {
    std::fprintf(stderr, "ab_power: %zu blocks cannot show any difference\n", blocks);
    return 1;
  }
  if (recorded.size() < 20 || trials < 1) {
    std::fprintf(stderr, "ab_power: at least 20 recorded costs, 1 block and 1 trial are needed\n");
    return 2;
  }
  Series series(recorded, 1);
  int alarms = 0, u_alarms = 0, found = 0, u_found = 0, found_1 = 0, u_found_1 = 0;
  std::vector<double> detectable;
  for (int trial = 0; trial < trials; ++trial) {
    const Trial null = run(series, blocks, 0.0, drift, true);
    alarms += null.alarm;
    u_alarms += null.u_test;
    detectable.push_back(null.detectable);
    const Trial shifted = run(series, blocks, null.detectable, drift);
    found += shifted.alarm;
    u_found += shifted.u_test;
    const Trial one_percent = run(series, blocks, 0.01, drift);
    found_1 += one_percent.alarm;
    u_found_1 += one_percent.u_test;
  }
  const double n = trials;
  std::printf(
      "{\"recorded\": %zu, \"blocks\": %zu, \"trials\": %d, \"drift_ratio\": %g, "
      "\"detectable_median_ratio\": %.6g, \"false_alarms_ratio\": %.4g, \"power_ratio\": %.4g, "
      "\"power_at_1_percent_ratio\": %.4g, \"u_test\": {\"false_alarms_ratio\": %.4g, "
      "\"power_ratio\": %.4g, \"power_at_1_percent_ratio\": %.4g}}\n",
      recorded.size(), blocks, trials, drift, median(detectable), alarms / n, found / n,
      found_1 / n, u_alarms / n, u_found / n, u_found_1 / n);
  return 0;
}
