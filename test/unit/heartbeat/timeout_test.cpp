// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/context.hpp"
#include "core/random_stream.hpp"
#include "heartbeat/timeout/parameters.hpp"
#include "heartbeat/timeout_cost.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <cmath>

using namespace hpclab;
using namespace hpclab::heartbeat;
using hpclab::test::usage_error_of;

namespace {

TimeoutProblem month_between_failures(PauseLawPtr pauses, double rebuild, double period) {
  TimeoutProblem p;
  p.ranks = 1;
  p.failure_rate_per_s = 1 / (30 * 86400.0);
  p.pause_rate_per_s = 1 / 600.0;
  p.period_s = period;
  p.failure_rebuild_s = 0;
  p.ejection_rebuild_s = rebuild;
  p.pauses = std::move(pauses);
  return p;
}

// The cost by drawing failures' phases and pauses one by one.
double drawn_cost(const TimeoutProblem& p, double tau, int draws, std::uint64_t seed) {
  RandomStream random(seed, "oracle");
  double sum = 0;
  for (int i = 0; i < draws; ++i) {
    const double phase = p.period_s * random.uniform();
    const double pause = p.pauses->sample(random);
    double silence = phase + pause;
    if (p.sender == Sender::aligned) silence = p.period_s * std::ceil(silence / p.period_s);
    const double stall = std::min(pause, tau - phase);
    sum += stall + (silence > tau ? p.ejection_rebuild_s : 0);
  }
  return p.ranks * (p.failure_rate_per_s * (tau - 0.5 * p.period_s + p.failure_rebuild_s) +
                    p.pause_rate_per_s * sum / draws);
}

}  // namespace

TEST_CASE("is the best timeout of exponential pauses that of the closed form?") {
  const double ratio = (1 / 600.0) * 30 * 86400;
  for (const auto& [mean, rebuild] : {std::pair{.1, 30.}, {.1, 600.}, {.5, 120.}, {2., 600.}}) {
    const double closed = mean * std::log(ratio * (rebuild - mean) * std::expm1(1 / mean));
    const Optima optima = find_optima(month_between_failures(exponential_pauses(mean), rebuild, 1));
    CHECK(optima.local.size() == 1);
    CHECK(optima.best.timeout_s == Catch::Approx(closed).epsilon(1e-9));
  }
}

TEST_CASE("does the optimum of every law satisfy the condition without a period?") {
  // lambda / mu + S = R f.
  for (const PauseLawPtr& law :
       {exponential_pauses(.5), pareto_pauses(.05, 1.5), lognormal_pauses(.05, 1)}) {
    const TimeoutProblem p = month_between_failures(law, 120, 0);
    const double tau = find_optima(p).best.timeout_s;
    CHECK(120 * law->density(tau) ==
          Catch::Approx(p.failure_rate_per_s / p.pause_rate_per_s + law->survival(tau))
              .epsilon(1e-6));
  }
}

TEST_CASE("are all local minima of bimodal pauses found, and the deeper one chosen?") {
  const auto law = mixed_pauses(exponential_pauses(.05), normal_pauses(8, .5), .01);
  const Optima optima = find_optima(month_between_failures(law, 120, 0));
  REQUIRE(optima.local.size() == 2);
  CHECK(optima.local[0].timeout_s == Catch::Approx(0.618).margin(1e-3));
  CHECK(optima.best.timeout_s == Catch::Approx(10.040).margin(1e-3));
  CHECK(optima.local[0].cost_ratio / optima.best.cost_ratio == Catch::Approx(9.5).margin(0.1));
}

TEST_CASE("does the cost agree with drawn pauses, for every law and both senders?") {
  const std::vector<PauseLawPtr> laws{
      exponential_pauses(.5), pareto_pauses(.2, 2.5), lognormal_pauses(.3, 1),
      mixed_pauses(exponential_pauses(.2), normal_pauses(3, .5), .1),
      empirical_pauses({.1, .2, .2, .5, 1.1, 3.3})};
  for (std::size_t i = 0; i < laws.size(); ++i) {
    for (const Sender sender : {Sender::catch_up, Sender::aligned}) {
      for (const double tau : {1.0, 1.7, 2.5, 4.2}) {
        TimeoutProblem p = month_between_failures(laws[i], 20, 1);
        p.failure_rate_per_s = 1 / 5000.0;
        p.pause_rate_per_s = 1 / 50.0;
        p.sender = sender;
        INFO("law " << i << " tau " << tau << " aligned " << (sender == Sender::aligned));
        const double drawn = drawn_cost(p, tau, 400'000, i + 1);
        CHECK(cost_of(p, tau).total() == Catch::Approx(drawn).epsilon(0.02));
      }
    }
  }
}

TEST_CASE("is the slope the derivative of the cost?") {
  for (const PauseLawPtr& law :
       {exponential_pauses(.5), lognormal_pauses(.3, 1), pareto_pauses(.2, 1.5)}) {
    for (const double period : {0.0, 1.0}) {
      const TimeoutProblem p = month_between_failures(law, 20, period);
      for (const double tau : {1.3, 2.7, 9.0}) {
        const double step = 1e-4;
        const double numeric =
            (cost_of(p, tau + step).total() - cost_of(p, tau - step).total()) / (2 * step);
        CHECK(cost_slope(p, tau) == Catch::Approx(numeric).epsilon(1e-4).margin(1e-12));
      }
    }
  }
}

TEST_CASE("does the breakpoint scan find what a dense search finds on empirical pauses?") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    RandomStream random(seed, "pauses");
    std::vector<double> values;
    for (int i = 0; i < 60; ++i) values.push_back(-std::log(1 - random.uniform()) * .4);
    for (const double period : {0.0, 0.7}) {
      for (const Sender sender : {Sender::catch_up, Sender::aligned}) {
        TimeoutProblem p = month_between_failures(empirical_pauses(values), 3, period);
        p.failure_rate_per_s = 1e-4;
        p.sender = sender;
        const double best = find_optima(p).best.cost_ratio;
        double dense = 1e9;
        for (double tau = std::max(period, 1e-4); tau < 6; tau += 5e-4) {
          dense = std::min(dense, cost_of(p, tau).total());
        }
        CHECK(best <= dense * (1 + 1e-12));
        CHECK(best >= dense * 0.995);
      }
    }
  }
}

TEST_CASE("is the best timeout of an aligned sender a multiple of the period?") {
  TimeoutProblem p = month_between_failures(exponential_pauses(.5), 120, 1);
  p.sender = Sender::aligned;
  const double tau = find_optima(p).best.timeout_s;
  CHECK(tau == Catch::Approx(std::round(tau)));
  CHECK(tau >
        find_optima(month_between_failures(exponential_pauses(.5), 120, 1)).best.timeout_s - 1);
}

TEST_CASE("does the number of ranks leave the optimum alone unless rebuilding depends on it?") {
  TimeoutProblem one = month_between_failures(exponential_pauses(.5), 120, 1);
  TimeoutProblem many = one;
  many.ranks = 1e5;
  CHECK(find_optima(many).best.timeout_s == Catch::Approx(find_optima(one).best.timeout_s));
  many.ejection_rebuild_s += 100;
  CHECK(find_optima(many).best.timeout_s > find_optima(one).best.timeout_s);
}

TEST_CASE("are impossible timeouts and laws refused with the reason?") {
  const TimeoutProblem p = month_between_failures(exponential_pauses(.5), 120, 1);
  CHECK(usage_error_of([&] { cost_of(p, 0.5); }).find("below the heartbeat period") !=
        std::string::npos);
  CHECK(usage_error_of([] { pareto_pauses(1, 1); }).find("above 1") != std::string::npos);
  CHECK(usage_error_of([] { empirical_pauses({}); }) != "");
  CHECK(usage_error_of([] { empirical_pauses({-1}); }) != "");
  CHECK(usage_error_of([] { normal_pauses(1, 1); }) != "");
}

TEST_CASE("does the study split the cost into parts that add up?") {
  timeout::Parameters p;
  Context context;
  const Result result = timeout::model(p, context);
  CHECK(*result.value("cost_ratio") ==
        Catch::Approx(*result.value("floor_ratio") + *result.value("detection_ratio") +
                      *result.value("false_ejection_ratio") + *result.value("rebuild_ratio")));
  CHECK(*result.value("regret_ratio") == 0);
  CHECK(*result.value("flat_low_s") <= *result.value("optimal_timeout_s"));
  CHECK(*result.value("flat_high_s") >= *result.value("optimal_timeout_s"));
}
