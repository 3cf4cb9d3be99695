// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/clock.hpp"
#include "core/error.hpp"
#include "events/heap_queue.hpp"
#include "events/ladder_queue.hpp"
#include "events/timing_wheel.hpp"
#include "heartbeat/fleet/engine.hpp"
#include "heartbeat/fleet/parameters.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

namespace hpclab::heartbeat::fleet {
namespace {

constexpr double year_s = 365.25 * 86400;

// A slot of the wheel holds about four events when they are spread over their mean distance.
std::int64_t slot_of(const Scenario& s) {
  const double rate = static_cast<double>(s.ranks) * s.pause_rate_per_s +
                      static_cast<double>(s.nodes()) * s.node_failure_rate_per_s;
  const double slot = rate > 0 ? 4e9 / rate : 1e9;
  return static_cast<std::int64_t>(std::clamp(slot, 1e3, 1e15));
}

// Replications on threads of their own; results in their order, whatever the threads did.
std::vector<Totals> replicate(const Parameters& p, const Context& context) {
  const auto count = static_cast<std::size_t>(p.replications);
  std::vector<Totals> totals(count);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        RandomStream seeds = context.random("replication").substream(i);
        totals[i] = run(scenario_of(p, seeds.bits64()), p.queue, context.stop);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::int64_t i = 1; i < std::min(p.threads, p.replications); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return totals;
}

void set_shares(const Totals& all, Result& result) {
  const auto share = [&](const char* name, double seconds) {
    result.set_value(name, seconds / all.total_s);
  };
  share("paused_ratio", all.paused_s);
  share("detecting_ratio", all.detecting_s);
  share("rebuilding_ratio", all.rebuilding_s);
  share("waiting_ratio", all.waiting_s);
  share("lost_ratio", all.lost_s);
  share("checkpoint_ratio", all.checkpoint_s);
}

}  // namespace

Scenario scenario_of(const Parameters& p, std::uint64_t seed) {
  if (p.timeout_s < p.period_s) {
    throw CaseFailed(fmt::format(
        "a timeout of {:g} s is below the heartbeat period of {:g} s: every rank would be ejected",
        p.timeout_s, p.period_s));
  }
  Scenario s;
  s.seed = seed;
  s.ranks = p.ranks;
  s.ranks_per_node = p.ranks_per_node;
  s.period = to_ns(p.period_s);
  s.timeout = to_ns(p.timeout_s);
  s.rebuild = to_ns(p.rebuild_s);
  s.horizon = to_ns(p.years * year_s);
  s.pause_rate_per_s = p.pause_rate_per_s;
  s.pauses = pauses_of(p).first;
  s.node_failure_rate_per_s = p.failure_rate_per_s * static_cast<double>(p.ranks_per_node);
  s.weibull_shape = p.weibull_shape;
  s.lemon_share = p.lemon_share;
  s.lemon_factor = p.lemon_factor;
  s.checkpoint_interval_s = p.checkpoint_interval_s;
  s.checkpoint_s = p.checkpoint_s;
  s.spares = p.spares;
  s.repair_mean_s = p.repair_s;
  s.shortage = p.shortage;
  if (const auto log = failures_of(p)) {
    for (const logs::Failure& failure : log->failures) {
      s.replay.push_back(to_ns(failure.time_s - log->failures.front().time_s));
      s.replay_nodes.push_back(failure.node);
    }
    s.horizon = std::min(s.horizon, std::max<Nanoseconds>(s.replay.back(), s.period));
  }
  return s;
}

Totals run(const Scenario& s, QueueKind kind, const StopToken& stop) {
  switch (kind) {
    case QueueKind::heap:
      return run_skipping(s, events::HeapQueue<4>(), stop);
    case QueueKind::ladder:
      return run_skipping(s, events::LadderQueue(), stop);
    case QueueKind::wheel:
      break;
  }
  return run_skipping(s, events::TimingWheel(slot_of(s)), stop);
}

Result simulate(const Parameters& p, Context& context) {
  const std::vector<Totals> totals = replicate(p, context);
  Totals all;
  double mean = 0;
  double squares = 0;
  const auto n = static_cast<double>(totals.size());
  for (const Totals& one : totals) {
    all.add(one);
    const double goodput = one.useful_s / one.total_s;
    mean += goodput / n;
    squares += goodput * goodput / n;
  }
  Result result;
  if (totals.size() > 1) {
    const double error = 1.96 * std::sqrt(std::max(squares - mean * mean, 0.0) / (n - 1));
    result.set_value("goodput_ratio", mean, std::max(mean - error, 0.0),
                     std::min(mean + error, 1.0));
  } else {
    result.set_value("goodput_ratio", mean);
  }
  set_shares(all, result);
  if (all.failures > 0) result.set_value("mttf_s", all.total_s / static_cast<double>(all.failures));
  result.set_value("failures_count", static_cast<double>(all.failures));
  result.set_value("false_ejections", static_cast<double>(all.false_ejections));
  result.set_value("pauses_count", static_cast<double>(all.pauses));
  result.set_value("events_count", static_cast<double>(all.events));
  result.set_value("heartbeats_count", all.total_s / p.period_s * static_cast<double>(p.ranks));
  result.set_value("gpu_hours_per_month",
                   (1 - mean) * static_cast<double>(p.ranks) * year_s / 12 / 3600);
  if (p.failures_from == FailureOrigin::file) {
    result.add_note("the log's failures are replayed as they are, whatever the number of ranks");
  }
  return result;
}

Result measure(const Parameters& p, Backend, Context& context) {
  RandomStream seeds = context.random("replication").substream(0);
  const Scenario scenario = scenario_of(p, seeds.bits64());
  const double begin = now_s();
  const Totals totals = run(scenario, p.queue, context.stop);
  const double seconds = now_s() - begin;
  Result result;
  result.set_value("time_s", seconds);
  result.set_value("events_per_s", static_cast<double>(totals.events) / seconds);
  result.set_value("heartbeats_per_s",
                   totals.total_s / p.period_s * static_cast<double>(p.ranks) / seconds);
  result.set_value("events_count", static_cast<double>(totals.events));
  result.set_value("goodput_ratio", totals.useful_s / totals.total_s);
  return result;
}

}  // namespace hpclab::heartbeat::fleet
