// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "core/statistics.hpp"
#include "heartbeat/detector/presets.hpp"
#include "heartbeat/timeout/parameters.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::heartbeat::timeout {
namespace {

constexpr double month_s = 365.25 * 86400 / 12;

// Share of the machine's time that a stall of so many seconds a useful second takes.
double lost_share(double cost) {
  return cost / (1 + cost);
}

double gpu_hours(const TimeoutProblem& problem, double part, double whole) {
  return problem.ranks * month_s / 3600 * part / (1 + whole);
}

// Timeouts around the minimum whose cost is within `excess` of it.
std::pair<double, double> flat_range(const TimeoutProblem& problem, const Optimum& best,
                                     double excess) {
  const double limit = best.cost_ratio * (1 + excess);
  const auto walk = [&](double factor) {
    double tau = best.timeout_s;
    for (int i = 0; i < 2000; ++i) {
      const double next = tau * factor;
      if (next < problem.period_s || cost_of(problem, next).total() > limit) break;
      tau = next;
    }
    return tau;
  };
  return {walk(1 / 1.005), walk(1.005)};
}

Table curve_of(const TimeoutProblem& problem, const Optima& optima, double chosen) {
  Table table{{"timeout_s", "floor", "detection", "false_ejection", "rebuild", "total"},
              {"s", "", "", "", "", ""},
              {}};
  double low = std::max(problem.period_s, optima.local.front().timeout_s / 30);
  low = std::max(low, 1e-6);
  double high = 30 * std::max({optima.local.back().timeout_s, chosen, low});
  for (const Preset& preset : presets()) high = std::max(high, 1.5 * to_s(preset.timeout));
  std::vector<double> taus;
  constexpr int steps = 160;
  for (int i = 0; i <= steps; ++i) taus.push_back(low * std::pow(high / low, i / double(steps)));
  for (const Optimum& optimum : optima.local) taus.push_back(optimum.timeout_s);
  std::sort(taus.begin(), taus.end());
  for (const double tau : taus) {
    if (tau < problem.period_s || tau <= 0) continue;
    const TimeoutCost cost = cost_of(problem, tau);
    table.rows.push_back(
        {tau, cost.floor, cost.detection, cost.false_ejection, cost.rebuild, cost.total()});
  }
  return table;
}

Table presets_of(const TimeoutProblem& problem, const Optimum& best) {
  Table table{{"preset", "timeout_s", "detection_stall_s_per_failure", "false_ejections_per_month",
               "gpu_hours_per_month", "regret_ratio"},
              {"", "s", "s", "1/month", "h", ""},
              {}};
  const auto row = [&](const std::string& name, double tau, const TimeoutProblem& used) {
    const TimeoutCost cost = cost_of(used, tau);
    table.rows.push_back({name, tau, tau - 0.5 * used.period_s,
                          cost.false_ejections_per_s * month_s / (1 + cost.total()),
                          gpu_hours(problem, cost.total(), cost.total()),
                          best.cost_ratio > 0 ? cost.total() / best.cost_ratio - 1 : 0.0});
  };
  for (const Preset& preset : presets()) {
    TimeoutProblem used = problem;
    // A preset that is shorter than the period in use comes with its own.
    if (to_s(preset.timeout) < problem.period_s) used.period_s = to_s(preset.period);
    row(preset.name, to_s(preset.timeout), used);
  }
  row("optimum", best.timeout_s, problem);
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return a[1] < b[1]; });
  return table;
}

// Percentile interval of the optimum under resampling of the logged pauses (Efron's bootstrap).
std::optional<Interval> bootstrap(const TimeoutProblem& problem, const Context& context) {
  const std::vector<double>& values = *problem.pauses->values();
  if (values.size() < 20 || values.size() > 20'000) return std::nullopt;
  RandomStream random = context.random("bootstrap");
  std::vector<double> found;
  constexpr int resamples = 60;
  for (int i = 0; i < resamples; ++i) {
    context.stop.throw_if_requested();
    std::vector<double> drawn(values.size());
    for (double& value : drawn) value = values[random.below(values.size())];
    TimeoutProblem again = problem;
    again.pauses = empirical_pauses(std::move(drawn));
    found.push_back(find_optima(again).best.timeout_s);
  }
  return Interval{quantile(found, 0.025), quantile(found, 0.975)};
}

TimeoutProblem problem_of(const Parameters& p, Result& result) {
  TimeoutProblem problem;
  problem.ranks = p.ranks;
  problem.period_s = p.period_s;
  problem.sender = p.sender;
  problem.failure_rebuild_s = p.rebuild_s + p.rebuild_per_rank_s * p.ranks + p.lost_work_s;
  problem.ejection_rebuild_s = problem.failure_rebuild_s;
  const auto [law, pause_log] = pauses_of(p);
  problem.pauses = law;
  problem.pause_rate_per_s = p.pause_rate_per_s;
  result.set_text("pauses", law->description());
  if (pause_log) {
    result.set_value("pauses_count", static_cast<double>(pause_log->pauses_s.size()));
    result.set_text("pauses_format", logs::name_of(pause_log->format));
    if (p.pause_rate_per_s == 0) {
      if (!(pause_log->observed_s > 0)) {
        throw CaseFailed("the log of pauses does not say over which time: give pause_rate_per_s");
      }
      problem.pause_rate_per_s =
          static_cast<double>(pause_log->pauses_s.size()) / pause_log->observed_s;
    }
  }
  problem.failure_rate_per_s = p.failure_rate_per_s;
  if (const auto log = failures_of(p)) {
    describe(p, *log, result);
    // The log's rate is that of a node; a ring of single ranks sees it once for each node's ranks.
    problem.failure_rate_per_s = rank_failure_rate(p, *log) / static_cast<double>(p.ranks_per_node);
  }
  result.set_value("rank_failure_rate_per_s", problem.failure_rate_per_s);
  return problem;
}

void add_notes(const TimeoutProblem& problem, const Optima& optima, double total, Result& result) {
  if (optima.unbounded) {
    result.add_note("nothing fails: no timeout is too long, the largest one searched is shown");
  }
  if (total > 0.5) {
    result.add_note(fmt::format(
        "stalls of {:.2g} s a useful second: those of different ranks overlap, which the sum does "
        "not count; the split holds, the total is an upper bound",
        total));
  }
  if (const auto* values = problem.pauses->values();
      values && optima.best.timeout_s >= values->back()) {
    result.add_note(fmt::format(
        "the best timeout lies at the longest of {} pauses ({:.4g} s): ejections rarer than one in "
        "{} pauses cannot be seen in this log",
        values->size(), values->back(), values->size()));
  }
}

}  // namespace

Result model(const Parameters& p, Context& context) {
  Result result;
  const TimeoutProblem problem = problem_of(p, result);
  const Optima optima = find_optima(problem);
  const double tau = p.timeout_s > 0 ? p.timeout_s : optima.best.timeout_s;
  const TimeoutCost cost = cost_of(problem, tau);

  const auto [low, high] = flat_range(problem, optima.best, 0.05);
  result.set_value("optimal_timeout_s", optima.best.timeout_s);
  if (problem.pauses->values() != nullptr) {
    if (const auto interval = bootstrap(problem, context)) {
      result.set_interval("optimal_timeout_s", std::min(interval->low, optima.best.timeout_s),
                          std::max(interval->high, optima.best.timeout_s));
    }
  }
  result.set_value("flat_low_s", low);
  result.set_value("flat_high_s", high);
  result.set_value("cost_ratio", cost.total());
  result.set_value("floor_ratio", cost.floor);
  result.set_value("detection_ratio", cost.detection);
  result.set_value("false_ejection_ratio", cost.false_ejection);
  result.set_value("rebuild_ratio", cost.rebuild);
  result.set_value("goodput_ratio", 1 - lost_share(cost.total()));
  result.set_value("gpu_hours_per_month", gpu_hours(problem, cost.total(), cost.total()));
  result.set_value("avoidable_gpu_hours_per_month",
                   gpu_hours(problem, cost.total() - cost.floor - cost.rebuild, cost.total()));
  result.set_value("false_ejections_per_month",
                   cost.false_ejections_per_s * month_s / (1 + cost.total()));
  result.set_value("minima_count", static_cast<double>(optima.local.size()));
  result.set_value("regret_ratio",
                   optima.best.cost_ratio > 0 ? cost.total() / optima.best.cost_ratio - 1 : 0);
  Table minima{{"timeout_s", "cost_ratio"}, {"s", ""}, {}};
  for (const Optimum& optimum : optima.local) {
    if (minima.rows.size() < 50) minima.rows.push_back({optimum.timeout_s, optimum.cost_ratio});
  }
  result.set_table("minima", minima);
  result.set_table("curve", curve_of(problem, optima, tau));
  result.set_table("presets", presets_of(problem, optima.best));
  const TimeoutCost at_best = cost_of(problem, optima.best.timeout_s);
  result.set_text("verdict",
                  fmt::format("{:.4g} s is best ({:.4g} to {:.4g} s cost at most 5 % more){}; {}",
                              optima.best.timeout_s, low, high,
                              optima.local.size() > 1
                                  ? fmt::format(", one of {} local minima", optima.local.size())
                                  : "",
                              at_best.floor > at_best.detection + at_best.false_ejection
                                  ? "pauses themselves cost more than any timeout can save"
                                  : "waiting for failures and false ejections cost most"));
  add_notes(problem, optima, cost.total(), result);
  return result;
}

}  // namespace hpclab::heartbeat::timeout
