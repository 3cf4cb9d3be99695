// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/sampler.hpp"

#include "core/error.hpp"
#include "core/noise.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

using namespace hpclab;

namespace {

bool mentions(const SampleSet& set, const std::string& part) {
  for (const std::string& note : set.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

SamplerOptions with_rule(const std::string& rule) {
  SamplerOptions options;
  options.stopping_rule = rule;
  return options;
}

}  // namespace

TEST_CASE("warm-up samples are run and thrown away") {
  SamplerOptions options = with_rule("count:8");
  options.warm_up_samples = 3;
  int calls = 0;
  const SampleSet set = collect([&] { return double(++calls); }, options);
  CHECK(calls == 11);
  CHECK(set.samples_s == std::vector<double>{4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(set.median_s == 7.5);
  CHECK(set.interval->low == 4.0);
  CHECK(set.interval->high == 11.0);
  CHECK(set.stop_cause == "count");
}

TEST_CASE("no interval is given below six samples") {
  CHECK(!collect([] { return 1.0; }, with_rule("count:5")).interval.has_value());
  CHECK(collect([] { return 1.0; }, with_rule("count:6")).interval.has_value());
}

TEST_CASE("many samples are thinned evenly, counted, and the median is of all") {
  SamplerOptions options = with_rule("count:10001");
  options.kept_samples = 100;
  options.warm_up_samples = 0;
  int calls = 0;
  const SampleSet set = collect([&] { return double(calls++); }, options);
  CHECK(set.count == 10001);
  CHECK(set.samples_s.size() == 100);
  CHECK(set.samples_s.front() == 0.0);
  CHECK(set.samples_s.back() == 10000.0);
  CHECK(set.samples_s[50] == Catch::Approx(5050).margin(1));
  CHECK(set.median_s == 5000.0);
  CHECK(mentions(set, "100 of 10001 samples kept"));
}

TEST_CASE("memory stays bounded beyond a million samples and the median stays right") {
  SamplerOptions options = with_rule("count:2500000");
  options.watch_thread = false;
  options.warm_up_samples = 0;
  std::size_t calls = 0;
  const SampleSet set = collect([&] { return double(calls++); }, options);
  CHECK(set.count == 2500000);
  CHECK(set.samples_s.size() == 2048);
  CHECK(set.median_s == Catch::Approx(1250000).epsilon(1e-5));
}

TEST_CASE("a stop request ends warm-up and sampling by Interrupted, which is no Error") {
  StopSource source;
  SamplerOptions options = with_rule("count:1000");
  options.stop = source.token();
  int calls = 0;
  const auto stop_at_20 = [&] {
    if (++calls == 20) source.request_stop();
    return 1e-3;
  };
  CHECK_THROWS_AS(collect(stop_at_20, options), Interrupted);
  CHECK(calls == 20);
  CHECK_THROWS_AS(collect(stop_at_20, options), Interrupted);
  CHECK(calls == 20);
  const bool is_error = std::is_base_of_v<Error, Interrupted>;
  CHECK(!is_error);
}

TEST_CASE("a sample that is no time fails the case, and what a sample throws passes through") {
  CHECK_THROWS_AS(collect([] { return -1.0; }), CaseFailed);
  CHECK_THROWS_AS(collect([] { return std::numeric_limits<double>::quiet_NaN(); }), CaseFailed);
  CHECK_THROWS_AS(collect([]() -> double { throw std::runtime_error("broken"); }),
                  std::runtime_error);
  CHECK_THROWS_AS(collect([] { return 1.0; }, with_rule("relativ")), UsageError);
}

TEST_CASE(
    "drift between the halves and a changed clock are noted, and a steady stream has no drift") {
  int calls = 0;
  const auto drifting = [&] { return 1.0 + 0.01 * ++calls; };
  CHECK(mentions(collect(drifting, with_rule("count:40")), "drift"));
  const auto steady = [&] { return 1.0 + 0.01 * (++calls % 5); };
  SamplerOptions options = with_rule("count:40");
  double clock_hz = 2e9;
  options.read_clock_hz = [&] { return clock_hz -= 1e8; };
  const SampleSet set = collect(steady, options);
  CHECK(!mentions(set, "drift"));
  CHECK(mentions(set, "clock changed from 1900 to 1800 MHz"));
}

TEST_CASE("noise is described from the counters' differences, and quiet readings say nothing") {
  NoiseReading begin{10.0, 5.0, 100, 2, 2e9};
  NoiseReading end{20.0, 5.5, 107, 2, 2.01e9};
  const auto notes = describe_noise(begin, end);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].find("0.5 s of CPU time within 10 s") != std::string::npos);
  CHECK(notes[1] == "7 involuntary context switches");
  CHECK(describe_noise(begin, begin).empty());
  end.steal_s.reset();
  CHECK(describe_noise(begin, end).size() == 1);
}

TEST_CASE("steal is the eighth number of the cpu line, and absent on old or foreign formats") {
  CHECK(steal_ticks("cpu  1 2 3 4 5 6 7 88 9 10\ncpu0 1 1 1\n").value() == 88);
  CHECK(!steal_ticks("cpu  1 2 3 4\ncpu0 5 6 7 8 9\n").has_value());
  CHECK(!steal_ticks("").has_value());
  CHECK(!steal_ticks("intr 1 2 3").has_value());
}

TEST_CASE("the harness's own cost is a positive time") {
  CHECK(measure_null_s() > 0.0);
}
