// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/timeout_cost.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/math/tools/toms748_solve.hpp>
#include <fmt/format.h>

namespace hpclab::heartbeat {
namespace {

// The timeout that false ejections see: an aligned sender is heard at multiples of the period only.
double heard_timeout(const TimeoutProblem& p, double tau) {
  if (p.sender == Sender::catch_up || p.period_s == 0) return tau;
  return p.period_s * std::floor(tau / p.period_s * (1 + 1e-12));
}

double ejection_probability(const TimeoutProblem& p, double tau) {
  const double heard = heard_timeout(p, tau);
  if (p.period_s == 0) return p.pauses->survival(heard);
  return p.pauses->survival_integral(std::max(heard - p.period_s, 0.0), heard) / p.period_s;
}

// E max(P - (tau - U), 0): the part of a pause that an ejection cuts short.
double cut_short(const TimeoutProblem& p, double tau) {
  if (p.period_s == 0) return p.pauses->tail_mean(tau);
  return p.pauses->tail_mean_integral(std::max(tau - p.period_s, 0.0), tau) / p.period_s;
}

void check(const TimeoutProblem& p) {
  const auto require = [](double value, const char* what) {
    if (!(value >= 0) || !std::isfinite(value)) {
      throw UsageError(fmt::format("{} is {}, it cannot be negative", what, value));
    }
  };
  require(p.failure_rate_per_s, "the failure rate");
  require(p.pause_rate_per_s, "the pause rate");
  require(p.period_s, "the heartbeat period");
  require(p.failure_rebuild_s, "the time to rebuild");
  require(p.ejection_rebuild_s, "the time to rebuild");
  if (!(p.ranks >= 1)) throw UsageError("a ring has at least one rank");
}

double total(const TimeoutProblem& p, double tau) {
  return cost_of(p, tau).total();
}

// No timeout beyond this one can be best: waiting for failures alone costs more than the shortest
// timeout, or no pause is that long.
double longest_useful(const TimeoutProblem& p) {
  const double shortest = std::max(p.period_s, 1e-9);
  double end = std::max(1e3 * (p.pauses->mean() + shortest), 1e6);
  if (p.failure_rate_per_s > 0) {
    const double spent = total(p, shortest) / (p.ranks * p.failure_rate_per_s) + p.period_s;
    end = std::max(std::min(end * 1e3, spent), 2 * shortest);
  }
  return end;
}

std::vector<double> breakpoints(const TimeoutProblem& p, double end) {
  std::vector<double> taus{std::max(p.period_s, 0.0)};
  if (p.sender == Sender::aligned && p.period_s > 0) {
    // Sawtooth: least at whole multiples. Beyond 4096 of them only steps of a thousandth are tried.
    for (double k = 1; k * p.period_s <= end; k = k < 4096 ? k + 1 : std::ceil(k * 1.001)) {
      taus.push_back(k * p.period_s);
    }
    return taus;
  }
  for (const double value : *p.pauses->values()) {
    for (const double tau : {value, value + p.period_s}) {
      if (tau >= p.period_s) taus.push_back(tau);
    }
  }
  std::sort(taus.begin(), taus.end());
  taus.erase(std::unique(taus.begin(), taus.end()), taus.end());
  return taus;
}

// Minima among costs at ascending timeouts that are the least within a factor of 1.5 to both sides.
std::vector<Optimum> prominent(const std::vector<Optimum>& points) {
  std::vector<Optimum> found;
  constexpr double reach = 1.5;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool lower_than_next =
        i + 1 == points.size() || points[i].cost_ratio <= points[i + 1].cost_ratio;
    const bool lower_than_last = i == 0 || points[i].cost_ratio < points[i - 1].cost_ratio;
    if (!lower_than_next || !lower_than_last) continue;
    bool least = true;
    for (std::size_t j = i;
         least && j-- > 0 && points[j].timeout_s * reach >= points[i].timeout_s;) {
      least = points[j].cost_ratio > points[i].cost_ratio;
    }
    for (std::size_t j = i + 1;
         least && j < points.size() && points[j].timeout_s <= points[i].timeout_s * reach; ++j) {
      least = points[j].cost_ratio >= points[i].cost_ratio;
    }
    if (least) found.push_back(points[i]);
  }
  return found;
}

std::vector<Optimum> smooth_minima(const TimeoutProblem& p, double end) {
  const double scale = std::max(p.pauses->mean(), 1e-9);
  const double begin = p.period_s > 0 ? p.period_s : scale * 1e-6;
  std::vector<double> grid;
  constexpr int steps = 3000;
  for (int i = 0; i <= steps; ++i) grid.push_back(begin * std::pow(end / begin, i / double(steps)));
  for (const double kink : p.pauses->kinks()) {
    for (const double tau : {kink, kink + p.period_s}) {
      if (tau > begin && tau < end) grid.push_back(tau);
    }
  }
  std::sort(grid.begin(), grid.end());
  std::vector<Optimum> found;
  const auto add = [&](double tau) { found.push_back({tau, total(p, tau)}); };
  double before = cost_slope(p, grid[0]);
  if (before >= 0) add(grid[0]);
  for (std::size_t i = 1; i < grid.size(); ++i) {
    const double here = cost_slope(p, grid[i]);
    if (before < 0 && here >= 0) {
      std::uintmax_t iterations = 200;
      const auto [low, high] = boost::math::tools::toms748_solve(
          [&](double tau) { return cost_slope(p, tau); }, grid[i - 1], grid[i], before, here,
          boost::math::tools::eps_tolerance<double>(48), iterations);
      add(0.5 * (low + high));
    }
    before = here;
  }
  if (before < 0) add(grid.back());
  return found;
}

}  // namespace

TimeoutCost cost_of(const TimeoutProblem& p, double tau) {
  check(p);
  if (!(tau >= p.period_s * (1 - 1e-12)) || !(tau >= 0)) {
    throw UsageError(fmt::format(
        "a timeout of {:g} s is below the heartbeat period of {:g} s: every rank would be ejected",
        tau, p.period_s));
  }
  const double mu = p.ranks * p.pause_rate_per_s;
  const double lambda = p.ranks * p.failure_rate_per_s;
  const double probability = mu > 0 ? ejection_probability(p, tau) : 0;
  TimeoutCost cost;
  cost.floor = mu > 0 ? mu * p.pauses->mean() : 0;
  cost.detection = lambda * (tau - 0.5 * p.period_s);
  cost.rebuild = lambda * p.failure_rebuild_s;
  cost.false_ejection = mu > 0 ? mu * (p.ejection_rebuild_s * probability - cut_short(p, tau)) : 0;
  cost.false_ejections_per_s = mu * probability;
  return cost;
}

double cost_slope(const TimeoutProblem& p, double tau) {
  const PauseLaw& law = *p.pauses;
  double per_rank = 0;
  if (p.period_s == 0) {
    per_rank = law.survival(tau) - p.ejection_rebuild_s * law.density(tau);
  } else {
    const double before = std::max(tau - p.period_s, 0.0);
    per_rank = (law.survival_integral(before, tau) -
                p.ejection_rebuild_s * (law.survival(before) - law.survival(tau))) /
               p.period_s;
  }
  return p.ranks * (p.failure_rate_per_s + p.pause_rate_per_s * per_rank);
}

Optima find_optima(const TimeoutProblem& p) {
  check(p);
  const double end = longest_useful(p);
  Optima optima;
  optima.unbounded = p.failure_rate_per_s == 0;
  const bool scanned =
      p.pauses->values() != nullptr || (p.sender == Sender::aligned && p.period_s > 0);
  if (p.pause_rate_per_s == 0) {
    optima.local = {{p.period_s, total(p, p.period_s)}};
  } else if (scanned) {
    std::vector<Optimum> points;
    for (const double tau : breakpoints(p, end)) points.push_back({tau, total(p, tau)});
    optima.local = prominent(points);
  } else {
    optima.local = smooth_minima(p, end);
  }
  optima.best = *std::min_element(
      optima.local.begin(), optima.local.end(),
      [](const Optimum& a, const Optimum& b) { return a.cost_ratio < b.cost_ratio; });
  return optima;
}

}  // namespace hpclab::heartbeat
