// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/interleaved_processes.hpp"

#include "core/child_process.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "decisions/join.hpp"

#include <array>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

class Interleaver {
 public:
  explicit Interleaver(const InterleavedRequest& request) : request_(request) {}

  InterleavedOutcome run() {
    outcome_.budget_s = request_.budget_s;
    const double begin_s = now_s();
    find_cases();
    decisions::InterleavedDecision decision(outcome_.cases.size(), request_.rule);
    std::size_t looks = 0;  // of budget_looks
    double block_s = 0.0;
    outcome_.why = "the budget is spent";
    while (true) {
      const double spent_s = now_s() - begin_s;
      // The last look comes when no further block fits.
      const bool last = outcome_.blocks > 0 && spent_s + block_s > request_.budget_s;
      const auto due = last
                           ? decisions::budget_looks
                           : static_cast<std::size_t>(spent_s / request_.budget_s *
                                                      static_cast<double>(decisions::budget_looks));
      if (due > looks && outcome_.blocks > 0) {
        looks = std::min(due, decisions::budget_looks);
        decision.look(looks);
        if (decision.all_decided()) outcome_.why = "every case is decided";
        if (last || decision.all_decided()) break;
      }
      try {
        const double block_begin_s = now_s();
        measure_block(decision);
        block_s = std::max(block_s, now_s() - block_begin_s);
      } catch (const Interrupted&) {
        outcome_.interrupted = true;
        outcome_.why = "interrupted";
        break;
      }
    }
    outcome_.seconds = now_s() - begin_s;
    finish(decision);
    return std::move(outcome_);
  }

 private:
  decisions::Side measure(bool b, std::size_t number) {
    std::vector<std::string> command = b ? request_.b : request_.a;
    const auto file = request_.folder / (b ? "b" : "a") / fmt::format("{:05}.jsonl", number);
    // Behind the verb or the study: before a `--` that ends the options.
    const auto place = command.begin() + (command.size() > 1 && command[1] == "exec" ? 2 : 3);
    command.insert(std::min(place, command.end()), {"--out", file.string()});
    ChildOptions options;
    options.stop = request_.stop;
    const ChildResult result = run_child(command, options);
    if (!result.succeeded()) {
      throw UsageError(fmt::format("{} ended with {}: {}", b ? "B" : "A",
                                   result.signal ? fmt::format("signal {}", result.signal)
                                                 : fmt::format("exit code {}", result.exit_code),
                                   result.stderr_text));
    }
    return decisions::read_side({file}, request_.value);
  }

  void find_cases() {
    const decisions::Side a = measure(false, 0);
    const decisions::Side b = measure(true, 0);
    for (const auto& [x, y] : decisions::join_cases(a, b, request_.ignored).pairs) {
      const decisions::SideCase& left = a.cases[x];
      const decisions::SideCase& right = b.cases[y];
      const bool figures = !left.figures.empty() && !right.figures.empty() &&
                           left.figures[0].value > 0.0 && right.figures[0].value > 0.0;
      if (!figures || !a.groups[left.group].measured()) continue;
      index_a_[left.id] = outcome_.cases.size();
      index_b_[right.id] = outcome_.cases.size();
      outcome_.cases.push_back({left.parameters, a.quantities[left.quantity], {}, {}});
    }
    if (outcome_.cases.empty())
      throw UsageError("hpclab ab: no measured case has a positive figure on both sides");
  }

  void measure_block(decisions::InterleavedDecision& decision) {
    const bool b_first = outcome_.blocks % 2 == 1;
    std::vector<std::array<double, 4>> costs(outcome_.cases.size());
    std::vector<int> seen(outcome_.cases.size(), 0);
    for (std::size_t turn = 0; turn < 4; ++turn) {
      const bool b = (turn == 1 || turn == 2) != b_first;
      const decisions::Side side = measure(b, 1 + 2 * outcome_.blocks + turn / 2);
      for (const decisions::SideCase& c : side.cases) {
        const auto& indices = b ? index_b_ : index_a_;
        const auto index = indices.find(c.id);
        if (index == indices.end() || c.figures.empty() || !(c.figures[0].value > 0.0)) continue;
        const double value = c.figures[0].value;
        costs[index->second][turn] =
            outcome_.cases[index->second].quantity.higher_is_better ? 1.0 / value : value;
        ++seen[index->second];
      }
    }
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (seen[i] == 4) decision.add(i, decisions::block_difference(costs[i], b_first));
    }
    ++outcome_.blocks;
  }

  void finish(const decisions::InterleavedDecision& decision) {
    // Blocks that the whole budget has room for, at the pace seen.
    const double room = request_.budget_s / std::max(outcome_.seconds, 1e-9);
    const auto blocks = static_cast<std::size_t>(
        std::max(1.0, static_cast<double>(outcome_.blocks) * std::max(1.0, room)));
    const double level =
        request_.rule.level -
        decisions::level_of_looks(decisions::budget_looks - 1, request_.rule.level);
    for (std::size_t i = 0; i < outcome_.cases.size(); ++i) {
      outcome_.cases[i].finding = decision.findings()[i];
      outcome_.cases[i].detectable =
          decisions::detectable_shift(decision.differences(i), std::min<std::size_t>(blocks, 100),
                                      level / static_cast<double>(outcome_.cases.size()));
    }
  }

  const InterleavedRequest& request_;
  InterleavedOutcome outcome_;
  std::unordered_map<std::uint64_t, std::size_t> index_a_;
  std::unordered_map<std::uint64_t, std::size_t> index_b_;
};

}  // namespace

InterleavedOutcome run_interleaved(const InterleavedRequest& request) {
  Interleaver interleaver(request);
  return interleaver.run();
}

}  // namespace hpclab::app
