// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/stopping_rule.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace hpclab;

namespace {

struct Run {
  std::size_t samples;
  std::string cause;
  std::string why;
  std::vector<double> values;
};

// Feeds a synthetic stream of 1 ms samples until the rule holds; the clock is the sum of the
// samples.
Run feed(const std::string& rule_text, const std::function<double(std::size_t)>& stream) {
  const auto rule = parse_stopping_rule(rule_text);
  Run run{0, "", "", {}};
  while (!rule->done() && run.samples < 3000000) {
    run.values.push_back(stream(run.samples++));
    rule->add(run.values.back());
  }
  run.cause = rule->cause();
  run.why = rule->why();
  return run;
}

std::function<double(std::size_t)> gaussian(double relative) {
  return [random = std::mt19937_64(1), normal = std::normal_distribution<double>(),
          relative](std::size_t) mutable { return 1e-3 * (1.0 + relative * normal(random)); };
}

std::string message_of(const std::string& rule) {
  try {
    parse_stopping_rule(rule);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

double half_width(const std::vector<double>& values) {
  const Interval interval = median_interval(values).value();
  return (interval.high - interval.low) / 2.0 / median(values);
}

}  // namespace

TEST_CASE("a constant stream ends at the minimum of samples under the default rule") {
  const Run run = feed(std::string(default_stopping_rule), [](std::size_t) { return 1e-3; });
  CHECK(run.samples == 10);
  CHECK(run.cause == "converged");
  CHECK(feed("relative:1%,min=25", [](std::size_t) { return 1e-3; }).samples == 25);
  CHECK(feed("relative", [](std::size_t) { return 0.0; }).samples == 10);
}

TEST_CASE("does relative stop exactly when half the median's interval is within the tolerance") {
  const Run quiet = feed("relative:1%", gaussian(0.002));
  CHECK(quiet.samples == 10);
  for (const double tolerance : {0.01, 0.005}) {
    const Run noisy = feed("relative:" + std::to_string(100 * tolerance) + "%", gaussian(0.02));
    CHECK(noisy.cause == "converged");
    CHECK(half_width(noisy.values) <= tolerance);
    // The half width of a gaussian's median is about 1.96 * 1.2533 * sigma / sqrt(n).
    const double expected = std::pow(1.96 * 1.2533 * 0.02 / tolerance, 2);
    CHECK(double(noisy.samples) < 3.0 * expected + 10);
    CHECK(double(noisy.samples) > expected / 5.0);
  }
}

TEST_CASE("a bimodal stream does not converge: the time limit ends it") {
  std::mt19937_64 random(2);
  const Run run = feed("relative:1%,time=3s", [&](std::size_t i) {
    // Exactly half of the samples in each mode at every even length.
    static bool slow = false;
    slow = i % 2 == 0 ? (random() & 1U) != 0 : !slow;
    return slow ? 1.5e-3 : 1e-3;
  });
  CHECK(run.cause == "time-limit");
  CHECK(run.samples > 2000);
  CHECK(mentions(run.why, "time-limit"));
}

TEST_CASE("a drifting stream ends within the tolerance when slow, at the limit when steep") {
  const auto drift = [](double relative) {
    return [relative](std::size_t i) { return 1e-3 * (1.0 + relative * double(i)); };
  };
  const Run slow = feed("relative:1%", drift(0.002));
  CHECK(slow.cause == "converged");
  CHECK(half_width(slow.values) <= 0.01);
  const Run steep = feed("relative:1%", drift(0.01));
  CHECK(steep.cause == "time-limit");
}

TEST_CASE("limits end any rule, below its minimum too") {
  CHECK(feed("relative:1%,time=4500us", gaussian(0.02)).samples == 5);
  CHECK(feed("count:50,time=20ms", [](std::size_t) { return 1e-3; }).cause == "time-limit");
  CHECK(feed("relative:0.001%,max=77,time=1h", gaussian(0.02)).samples == 77);
  CHECK(feed("relative:0.001%,max=77,time=1h", gaussian(0.02)).cause == "samples-limit");
  const auto rule = parse_stopping_rule("relative:1%,time=1s");
  rule->add(1e-6, 2.0);  // a short sample after long set-up
  CHECK(rule->done());
}

TEST_CASE("count and time end after exactly what they name") {
  CHECK(feed("count:50", gaussian(0.02)).samples == 50);
  CHECK(feed("count:1", gaussian(0.02)).cause == "count");
  const Run timed = feed("time:2s", [](std::size_t) { return 0.25; });
  CHECK(timed.samples == 8);
  CHECK(timed.cause == "time");
  CHECK(feed("time:2s,min=12", [](std::size_t) { return 0.25; }).samples == 12);
}

TEST_CASE("stdrel waits for its minimum time, then for the deviation or a stable history") {
  const Run quiet = feed("stdrel:0.5%", gaussian(0.002));
  CHECK(quiet.cause == "converged");
  CHECK(quiet.samples >= 495);  // 0.5 s of 1 ms samples
  CHECK(quiet.samples <= 505);
  const Run noisy = feed("stdrel:0.5%", gaussian(0.02));
  CHECK(noisy.cause == "stable");
  CHECK(noisy.samples >= 500);
  CHECK(noisy.samples < 3000);
  CHECK(feed("stdrel:0.5%,min=20ms", [](std::size_t) { return 1e-3; }).samples <= 21);
  // Zeros have no relative deviation: 64 estimates that are no numbers end it, once past the
  // minima.
  CHECK(feed("stdrel:0.5%,min=1us,max=5000", [](std::size_t i) {
          return i == 0 ? 1e-3 : 0.0;
        }).samples <= 5000);
}

TEST_CASE("stdrel stays on while the noise itself keeps changing") {
  const Run drifting =
      feed("stdrel:0.5%,time=2s", [](std::size_t i) { return 1e-3 * std::exp(0.01 * double(i)); });
  CHECK(drifting.cause == "time-limit");
}

TEST_CASE("entropy of distinct timings stops where the slope of log2 n falls to the angle") {
  const Run distinct = feed("entropy,time=1h", gaussian(0.02));
  CHECK(distinct.cause == "converged");
  // d log2(n) / dn = 1 / (n ln 2) at the middle of the 299-value window, tan(0.048 degrees)
  // = 8.38e-4.
  const double expected = 1.0 / (std::log(2.0) * std::tan(0.048 * M_PI / 180.0)) + 149.0;
  CHECK(double(distinct.samples) == Catch::Approx(expected).epsilon(0.02));
}

TEST_CASE("entropy of a constant and of a two-valued stream settles early") {
  CHECK(feed("entropy", [](std::size_t) { return 1e-3; }).samples == 10);
  std::mt19937_64 random(4);
  const Run bimodal =
      feed("entropy", [&](std::size_t) { return (random() & 1U) != 0 ? 1e-3 : 1.5e-3; });
  CHECK(bimodal.cause == "converged");
  CHECK(bimodal.samples < 1000);
}

TEST_CASE("a wrong rule is an error that names the word, the reason and the nearest valid one") {
  CHECK(mentions(message_of("relativ:1%"), "did you mean 'relative'"));
  CHECK(mentions(message_of("stddev:1%"), "stdrel"));
  CHECK(mentions(message_of("qqqqqqqqqq"), "valid: relative, count, time, stdrel, entropy"));
  CHECK(mentions(message_of("relative:1%,mim=3"), "did you mean 'min'"));
  CHECK(mentions(message_of("relative:1%,r2=0.3"), "unknown key 'r2'"));
  CHECK(mentions(message_of("relative:abc"), "'abc'"));
  CHECK(mentions(message_of("relative:150%"), "150%"));
  CHECK(mentions(message_of("relative:1%,banana"), "key=value"));
  CHECK(mentions(message_of("time:2"), "unit"));
  CHECK(mentions(message_of("count:0"), "whole number above 0"));
  CHECK(mentions(message_of("count"), "count:50"));
  CHECK(mentions(message_of("relative:1%,min=20,max=10"), "min is above max"));
  CHECK(mentions(message_of(""), "unknown rule"));
  for (const char* valid : {"relative:1%", "relative:0.01,min=10,time=10s", "count:50",
                            "time:500ms", "stdrel:0.5%,min=0.5s", "entropy:0.05,r2=0.5"}) {
    CHECK(message_of(valid).empty());
  }
}
