// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "core/error.hpp"
#include "heartbeat/fleet/parameters.hpp"
#include "heartbeat/timeout_cost.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::heartbeat::fleet {
namespace {

ParameterTable<Parameters> make_table() {
  using P = Parameters;
  const std::vector<Method> drawn{Method::simulate, Method::measure};
  ParameterTable<P> table;
  table.add(&P::ranks, "ranks", "ranks of the job").between(1, 1e7);
  table.add(&P::years, "years", "time that is simulated").between(1e-5, 100).affects(drawn);
  table.add(&P::period_s, "period_s", "time between two heartbeats").between(1e-6, 1e6);
  table.add(&P::timeout_s, "timeout_s", "silence after the last heartbeat that ejects a rank")
      .between(1e-6, 1e7);
  table
      .add(&P::rebuild_s, "rebuild_s",
           "time until the ring works again, after a failure and after a false ejection")
      .between(0, 1e7);
  table
      .add(&P::weibull_shape, "weibull_shape",
           "shape of the times between failures of a node, 1: exponential")
      .between(0.2, 10);
  table.add(&P::lemon_share, "lemon_share", "share of nodes that fail more often").between(0, 1);
  table.add(&P::lemon_factor, "lemon_factor", "how much more often").between(1, 1e6).affects(drawn);
  table
      .add(&P::checkpoint_interval_s, "checkpoint_interval_s",
           "work between checkpoints, lost at a failure; 0: nothing is lost")
      .between(0, 1e9);
  table.add(&P::checkpoint_s, "checkpoint_s", "time that writing a checkpoint stops the work")
      .between(0, 1e7);
  table.add(&P::spares, "spares", "nodes that stand by").between(0, 1e7).affects(drawn);
  table.add(&P::repair_s, "repair_s", "mean time until a failed node is back; 0: at once")
      .between(0, 1e9);
  table
      .add_choice(&P::shortage, "shortage",
                  {{"wait", Shortage::wait}, {"shrink", Shortage::shrink}},
                  "without spares the job waits for the repair, or goes on with fewer nodes and "
                  "grows again")
      .affects(drawn);
  table
      .add_choice(
          &P::queue, "queue",
          {{"wheel", QueueKind::wheel}, {"heap", QueueKind::heap}, {"ladder", QueueKind::ladder}},
          "event queue; results do not depend on it")
      .affects(drawn);
  table.add(&P::replications, "replications", "independent runs")
      .between(1, 1e5)
      .affects({Method::simulate});
  table
      .add(&P::threads, "threads",
           "threads that share the replications; results do not depend on it")
      .between(1, 256)
      .affects({Method::simulate});
  add_pause_parameters(table);
  add_failure_parameters(table, true);
  return table;
}

Json default_runs() {
  return Json::array({{{"parameters", {{"ranks", {1024, 4096, 16384}}, {"years", 0.25}}}}});
}

// 60 ns an event; 28 bytes a rank and its pending event.
Estimate estimate(const Parameters& p, Method method) {
  if (method == Method::model) return {};
  const auto ranks = static_cast<double>(p.ranks);
  const double events =
      p.years * 365.25 * 86400 * ranks * (p.pause_rate_per_s + p.failure_rate_per_s);
  const double runs = method == Method::simulate ? static_cast<double>(p.replications) : 1;
  const double at_once =
      method == Method::simulate ? static_cast<double>(std::min(p.threads, p.replications)) : 1;
  return {64 * ranks * at_once + 1e7, (events * 2.5e-7 + ranks * 1e-7) * runs / at_once};
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

Result model(const Parameters& p, Context&) {
  if (p.weibull_shape != 1 || p.failures_from == FailureOrigin::file) {
    throw CaseFailed(
        "the closed form holds for exponential times between failures only: method simulate");
  }
  if (p.lemon_share > 0 || p.repair_s > 0) {
    throw CaseFailed("the closed form knows no lemons and no repair: method simulate");
  }
  const double nodes =
      std::ceil(static_cast<double>(p.ranks) / static_cast<double>(p.ranks_per_node));
  const double rate = nodes * p.failure_rate_per_s * static_cast<double>(p.ranks_per_node);
  // The first of a node's heartbeats that is missed tells of it.
  const double detection = p.timeout_s - p.period_s * static_cast<double>(p.ranks_per_node) /
                                             (static_cast<double>(p.ranks_per_node) + 1);
  double time = std::exp(rate * p.rebuild_s) * (1 + rate * detection);
  if (p.checkpoint_interval_s > 0 && rate > 0) {
    const double segment = p.checkpoint_interval_s + p.checkpoint_s;
    time = (1 / rate + detection) * std::exp(rate * p.rebuild_s) * std::expm1(rate * segment) /
           p.checkpoint_interval_s;
  }
  Result result;
  TimeoutProblem problem;
  problem.ranks = static_cast<double>(p.ranks);
  problem.failure_rate_per_s = 0;
  problem.pause_rate_per_s = p.pause_rate_per_s;
  problem.period_s = p.period_s;
  problem.ejection_rebuild_s = p.rebuild_s;
  problem.pauses = pauses_of(p).first;
  const TimeoutCost pauses = cost_of(problem, p.timeout_s);
  time += pauses.total();
  if (!(time < 1e12)) throw CaseFailed("failures come faster than the ring can be rebuilt");
  result.set_value("goodput_ratio", 1 / time);
  if (rate > 0) result.set_value("mttf_s", 1 / rate);
  result.set_value("gpu_hours_per_month",
                   (1 - 1 / time) * static_cast<double>(p.ranks) * 365.25 * 2);
  result.set_value("failures_per_1000_node_days",
                   p.failure_rate_per_s * static_cast<double>(p.ranks_per_node) * 86400 * 1000);
  if (pauses.total() > 0.1) {
    result.add_note(
        "pauses stall more than a tenth of the time: those of different ranks overlap, "
        "which the closed form does not know");
  }
  return result;
}

Study study() {
  return StudyDefinition<Parameters>(
             "heartbeat", "fleet",
             "What share of its time does a job of this size work, and what takes the rest?",
             parameter_table())
      .value({"goodput_ratio", "useful work over time", Better::higher, true})
      .value({"mttf_s", "mean time between failures of the job", Better::higher, true})
      .value(
          {"gpu_hours_per_month", "ranks times hours of a month without work", Better::lower, true})
      .value({"false_ejections", "healthy ranks that were ejected", Better::lower, true})
      .value({"paused_ratio", "share of the time stalled by pauses", Better::lower, false})
      .value({"detecting_ratio", "share until failures were detected", Better::lower, false})
      .value({"rebuilding_ratio", "share of rebuilding the ring", Better::lower, false})
      .value({"waiting_ratio", "share without enough nodes", Better::lower, false})
      .value({"lost_ratio", "share of work done again", Better::lower, false})
      .value({"checkpoint_ratio", "share of writing checkpoints", Better::lower, false})
      .value({"failures_count", "failures of all runs", Better::neither, false})
      .value({"failures_per_1000_node_days", "failures of a node", Better::lower, false})
      .value({"pauses_count", "pauses of all runs", Better::neither, false})
      .value({"events_count", "events processed", Better::neither, false})
      .value(
          {"heartbeats_count", "heartbeats that the simulated time holds", Better::neither, false})
      .value({"events_per_s", "events of the engine a second", Better::higher, false})
      .value({"heartbeats_per_s", "heartbeats that the engine skipped over, a second",
              Better::higher, false})
      .value({"time_s", "time of the run", Better::lower, false})
      .plot({"lines", "ranks", "goodput_ratio", {"method"}, true, false})
      .default_experiments(default_runs())
      .model(model)
      .simulate(simulate)
      .measure({Backend::cpu}, measure)
      .estimate(estimate)
      .build();
}

}  // namespace hpclab::heartbeat::fleet
