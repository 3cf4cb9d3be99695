// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/context.hpp"
#include "core/error.hpp"
#include "events/heap_queue.hpp"
#include "events/ladder_queue.hpp"
#include "events/timing_wheel.hpp"
#include "heartbeat/fleet/brute_force.hpp"
#include "heartbeat/fleet/engine.hpp"
#include "heartbeat/fleet/parameters.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::heartbeat;
using namespace hpclab::heartbeat::fleet;

namespace {

Parameters quick() {
  Parameters p;
  p.ranks = 64;
  p.years = 0.05;
  p.pause_rate_per_s = 1e-3;
  p.pause_mean_s = 5;
  p.failure_rate_per_s = 1e-7;
  p.replications = 3;
  return p;
}

double standard_errors(const Result& simulated, double expected) {
  const double value = *simulated.value("goodput_ratio");
  return std::abs(value - expected) /
         ((simulated.interval("goodput_ratio")->second - value) / 1.96);
}

}  // namespace

TEST_CASE("does the event-skipping engine give every verdict of the engine with heartbeats?") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Scenario s;
    s.seed = seed;
    s.ranks = 7;
    s.period = 1'000'000'000;
    s.timeout = seed % 3 == 0 ? s.period : 2'700'000'000;
    s.horizon = to_ns(4000);
    s.pause_rate_per_s = 0.2;  // pauses meet within a period
    s.pauses = exponential_pauses(seed % 2 == 0 ? 0.5 : 2);
    std::vector<Detection> skipped;
    run_skipping(s, events::HeapQueue<4>(), {}, &skipped);
    const BruteForce brute = run_brute_force(s);
    std::erase_if(skipped, [&](const Detection& d) { return d.time >= s.horizon; });
    std::sort(skipped.begin(), skipped.end(), [](const Detection& a, const Detection& b) {
      return std::pair(a.time, a.index) < std::pair(b.time, b.index);
    });
    INFO("seed " << seed);
    CHECK(brute.heartbeats > 1000);
    CHECK(skipped.size() > 20);
    CHECK(skipped == brute.detections);
  }
}

TEST_CASE("is the result the same to the last bit for all queues and numbers of threads?") {
  Parameters p = quick();
  p.repair_s = 3600;
  p.checkpoint_interval_s = 600;
  p.checkpoint_s = 10;
  p.weibull_shape = 0.7;
  Context context;
  const Json expected = simulate(p, context).values();
  for (const QueueKind queue : {QueueKind::wheel, QueueKind::heap, QueueKind::ladder}) {
    for (const int threads : {1, 3}) {
      p.queue = queue;
      p.threads = threads;
      CHECK(simulate(p, context).values() == expected);
    }
  }
}

TEST_CASE("does simulated goodput agree with the closed form within four standard errors?") {
  for (const double checkpoint : {0.0, 1800.0}) {
    for (const int per_node : {1, 8}) {
      Parameters p;
      p.ranks = 800;
      p.ranks_per_node = per_node;
      p.failure_rate_per_s = 1e-7;
      p.pause_rate_per_s = 0;
      p.timeout_s = 60;
      p.period_s = 20;
      p.rebuild_s = 900;
      p.checkpoint_interval_s = checkpoint;
      p.checkpoint_s = checkpoint > 0 ? 60 : 0;
      p.years = 2;
      p.replications = 20;
      Context context;
      INFO("checkpoint " << checkpoint << " ranks per node " << per_node);
      const double expected = *model(p, context).value("goodput_ratio");
      CHECK(standard_errors(simulate(p, context), expected) < 4);
      CHECK(expected < 0.95);
    }
  }
}

TEST_CASE("are the parts of the time that the account names the whole of it?") {
  Parameters p = quick();
  p.repair_s = 86400;
  p.failure_rate_per_s = 1e-6;
  for (const Shortage shortage : {Shortage::wait, Shortage::shrink}) {
    p.shortage = shortage;
    for (const int spares : {0, 2}) {
      p.spares = spares;
      for (const double interval : {0.0, 600.0}) {
        p.checkpoint_interval_s = interval;
        p.checkpoint_s = interval > 0 ? 20 : 0;
        const Totals t = run(scenario_of(p, 5), QueueKind::heap, {});
        // A segment that is open at the end may hold an unfinished checkpoint or a slow stretch.
        const double sum = t.useful_s + t.paused_s + t.rebuilding_s + t.detecting_s + t.waiting_s +
                           t.lost_s + t.checkpoint_s;
        CHECK(sum == Catch::Approx(t.total_s).margin(interval > 0 ? 1300 : 1e-3));
        CHECK(t.failures > 0);
        CHECK(t.false_ejections > 0);
      }
    }
  }
}

TEST_CASE("do spares and shrinking help when repairs take long?") {
  Parameters p = quick();
  p.repair_s = 5 * 86400;
  p.failure_rate_per_s = 5e-7;
  Context context;
  const double waiting = *simulate(p, context).value("goodput_ratio");
  p.shortage = Shortage::shrink;
  const double shrinking = *simulate(p, context).value("goodput_ratio");
  p.spares = 8;
  const double spared = *simulate(p, context).value("goodput_ratio");
  CHECK(shrinking > waiting + 0.05);
  CHECK(spared > shrinking);
}

TEST_CASE("do lemons keep the mean rate and a log its failures?") {
  Parameters p;
  p.ranks = 8000;
  p.pause_rate_per_s = 0;
  p.failure_rate_per_s = 1e-8;
  p.lemon_share = 0.1;
  p.replications = 1;
  const Totals t = run(scenario_of(p, 3), QueueKind::wheel, {});
  const double expected = 8000 * 1e-8 * t.total_s;
  CHECK(static_cast<double>(t.failures) == Catch::Approx(expected).epsilon(0.12));
  Scenario s = scenario_of(p, 3);
  s.replay = {to_ns(10), to_ns(10), to_ns(500)};
  s.replay_nodes = {1, 2, 100'000};
  CHECK(run(s, QueueKind::ladder, {}).failures == 3);
}

TEST_CASE("is a job of one rank simulated, and a timeout below the period refused?") {
  Parameters p = quick();
  p.ranks = 1;
  p.ranks_per_node = 1;
  Context context;
  CHECK(*simulate(p, context).value("goodput_ratio") > 0.9);
  p.timeout_s = 0.5;
  CHECK_THROWS_AS(simulate(p, context), CaseFailed);
  p = quick();
  p.weibull_shape = 0.7;
  CHECK_THROWS_AS(model(p, context), CaseFailed);
}
