// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/context.hpp"
#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "heartbeat/detector/presets.hpp"
#include "heartbeat/detector/timeout_detectors.hpp"
#include "heartbeat/detectors/parameters.hpp"
#include "heartbeat/logs/arrivals.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/mutation.hpp"

#include <cmath>

using namespace hpclab;
using namespace hpclab::heartbeat;
using namespace hpclab::heartbeat::detectors;

namespace {

double standard_errors(const Result& result, const char* name, double expected) {
  const auto interval = result.interval(name);
  return std::abs(*result.value(name) - expected) /
         ((interval->second - *result.value(name)) / 1.96);
}

}  // namespace

TEST_CASE("does Chen's closed form give its published values?") {
  const NfdQuality a = nfd_s_quality(1, .1, .01, .02);
  CHECK(a.mistake_recurrence_s == Catch::Approx(60.5919).epsilon(1e-5));
  CHECK(a.mistake_duration_s == Catch::Approx(.565933).epsilon(1e-5));
  CHECK(nfd_s_quality(1, .5, .01, .02).mistake_recurrence_s ==
        Catch::Approx(101.010).epsilon(1e-5));
  CHECK(nfd_s_quality(1, 1.5, .01, .02).mistake_recurrence_s == Catch::Approx(10101).epsilon(1e-4));
  CHECK(nfd_s_quality(1, 1.5, .01, .02).mistake_duration_s == Catch::Approx(.530101).epsilon(1e-5));
}

TEST_CASE("does the simulated NFD-S agree with theory within four standard errors?") {
  for (const double delta : {.05, .1, .5, 1.2}) {
    Parameters p;
    p.detector = "nfd-s";
    p.pause_rate_per_s = 0;
    p.loss_ratio = .05;
    p.delay_mean_s = .2;
    p.timeout_s = 1 + delta;
    p.beats = 400'000;
    Context context;
    const Result result = simulate(p, context);
    const NfdQuality theory = nfd_s_quality(1, delta, .05, .2);
    INFO("delta " << delta);
    CHECK(standard_errors(result, "mistake_recurrence_s", theory.mistake_recurrence_s) < 4);
    CHECK(standard_errors(result, "mistake_duration_s", theory.mistake_duration_s) < 4);
    CHECK(*result.value("detection_max_s") <= p.timeout_s + 1e-9);
  }
}

TEST_CASE("do the mistakes of a fixed timeout agree with the cost model?") {
  for (const Sender sender : {Sender::catch_up, Sender::aligned}) {
    Parameters p;
    p.timeout_s = 2.5;
    p.pause_mean_s = .5;
    p.pause_rate_per_s = .02;
    p.delay_mean_s = 0;
    p.sender = sender;
    p.beats = 1'000'000;
    Context context;
    const double expected = *model(p, context).value("mistake_recurrence_s");
    const Result result = simulate(p, context);
    INFO("aligned " << (sender == Sender::aligned) << " expected " << expected << " ours "
                    << *result.value("mistake_recurrence_s"));
    CHECK(standard_errors(result, "mistake_recurrence_s", expected) < 4);
    CHECK(*result.value("detection_s") == Catch::Approx(2).margin(0.02));
  }
}

TEST_CASE("are mistakes and detection counted as a hand-made log has them?") {
  constexpr Nanoseconds s = 1'000'000'000;
  std::vector<Sent> arrivals;
  for (const int at : {0, 1, 2, 7, 8, 9, 20, 21}) {
    arrivals.push_back({at * s, at * s, static_cast<std::int64_t>(arrivals.size())});
  }
  const Quality quality = judge(FixedTimeout(3 * s), arrivals, 0, 1, {0.01, 10, s}, {});
  CHECK(quality.mistakes == 2);
  CHECK(quality.wrong_s == Catch::Approx(2 + 8));
  CHECK(quality.starts_s == std::vector<double>{5, 12});
  CHECK(quality.durations_s == std::vector<double>{2, 8});
  CHECK(quality.silence_cost_s == Catch::Approx(3 + 10 + 3 + 10));
  // Knowing all: wait 5 s once and 11 s once (11 s timeout), or cut one or both.
  CHECK(quality.best_timeout_s == 11);
  for (const double d : quality.detection_s) CHECK((d >= 2 && d <= 3));
}

TEST_CASE("is the regret of the online optimum at most five per cent after ten thousand pauses?") {
  for (const PauseKind kind : {PauseKind::pareto, PauseKind::lognormal, PauseKind::bimodal}) {
    Parameters p;
    p.detector = "online-optimum";
    p.pause = kind;
    p.pause_minimum_s = .5;
    p.pause_median_s = .5;
    p.pause_rate_per_s = .05;
    p.failure_rate_per_s = 1e-4;
    p.rebuild_s = 30;
    p.beats = 600'000;
    Context context;
    INFO("law " << static_cast<int>(kind));
    CHECK(*simulate(p, context).value("regret_ratio") < 0.05);
  }
}

TEST_CASE("does every detector give a judgement on the same arrivals?") {
  Parameters p;
  p.beats = 5000;
  p.pause = PauseKind::bimodal;
  Context context;
  for (const std::string& name : detector_names()) {
    INFO(name);
    p.detector = name;
    const Result result = simulate(p, context);
    CHECK(*result.value("query_accuracy_ratio") > 0.3);
    CHECK(*result.value("query_accuracy_ratio") <= 1);
    CHECK(*result.value("detection_s") > 0);
  }
}

TEST_CASE("mutations: does the reader of arrivals answer with arrivals or an error?") {
  test::Mutator mutator(5);
  const std::vector<std::string> samples{"time_s,sequence\n0.5,0\n1.5,1\n2.75,2\n3.5,3\n",
                                         "0\n1\n2.5\n4\n"};
  int accepted = 0;
  for (int i = 0; i < test::mutation_count(2000); ++i) {
    formats::LineReader lines(
        formats::bytes_of(mutator.mutated(samples[static_cast<std::size_t>(i) % 2])), "log");
    try {
      accepted += logs::read_arrivals(lines).size() >= 3 ? 1 : 0;
    } catch (const UsageError&) {
    }
  }
  CHECK(accepted > 0);
}
