// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "heartbeat/log_choice.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/mutation.hpp"
#include "support/outside_data.hpp"

#include <cmath>

using namespace hpclab;
using namespace hpclab::heartbeat;
using namespace hpclab::heartbeat::logs;
using hpclab::test::usage_error_of;

namespace {

formats::LineReader lines_of(const std::string& text) {
  return {formats::bytes_of(text), "log"};
}

PauseLog pauses_in(const std::string& text, PauseFormat format = PauseFormat::automatic) {
  auto lines = lines_of(text);
  return read_pauses(lines, format);
}

FailureLog failures_in(const std::string& text, const FailureSelection& selection = {}) {
  auto lines = lines_of(text);
  return read_failures(lines, selection);
}

const std::vector<std::string> pause_samples{
    "0.5\n1.25\n# a comment\n0.01\n", "start_s,pause_s\n1,0.5\n7,0.25\n",
    "[0.5s][info][gc] Using G1\n[12.345s][info][gc] GC(7) Pause Young (Normal) 24M->5M(256M) "
    "3.214ms\n"
    "[13.0s][info][gc] GC(8) Pause Full 20M->5M(256M) 150.0ms\n",
    "iteration 1 | elapsed time per iteration (ms): 1000.0 | loss 2\n"
    "iteration 2 | elapsed time per iteration (ms): 1010.0 | loss 2\n"
    "iteration 3 | elapsed time per iteration (ms): 9000.0 | loss 2\n",
    "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE) "
    "ran "
    "for 600047 milliseconds before timing out.\n"};

const std::vector<std::string> failure_samples{
    "10\n20\n20\n50\n",
    "time_s,node,down_s,cause\n10,a,5,gpu\n30,b,1,net\n",
    "JobID|State|Start|End|NNodes\n1|COMPLETED|2024-05-01T00:00:00|2024-05-01T10:00:00|4\n"
    "1.batch|COMPLETED|2024-05-01T00:00:00|2024-05-01T10:00:00|1\n"
    "2|NODE_FAIL|2024-05-02T00:00:00|2024-05-02T01:00:00|8\n3|RUNNING|2024-05-02T00:00:00|Unknown|"
    "8\n",
    "system,nodes,procs,node,start_min,down_min,cause\n2,49,6152,3,100,60,software\n2,49,6152,4,"
    "200,1,\n",
    "0,add,n1\n0,add,n2\n1000,remove,n1\n5000,add,n1\n6000,remove,n2\n",
    R"([{"node_id":"a","event_time":1.5,"event_type":"fault_start","fault_type":{"Level":"L","Class":"GPU","Desc":"d"}},
{"node_id":"a","event_time":2,"event_type":"fault_start","fault_type":{"Level":"L","Class":"NIC","Desc":"d"}},
{"node_id":"a","event_time":2.5,"event_type":"fault_end","fault_type":{"Level":"L","Class":"GPU","Desc":"d"}},
{"node_id":"a","event_time":3.5,"event_type":"fault_end","fault_type":{"Level":"L","Class":"NIC","Desc":"d"}}])"};

}  // namespace

TEST_CASE("is every kind of pause log recognised and read?") {
  CHECK(pauses_in(pause_samples[0]).pauses_s == std::vector<double>{0.5, 1.25, 0.01});
  const PauseLog timed = pauses_in(pause_samples[1]);
  CHECK(timed.pauses_s == std::vector<double>{0.5, 0.25});
  CHECK(timed.observed_s == 6);
  const PauseLog gc = pauses_in(pause_samples[2]);
  REQUIRE(gc.pauses_s.size() == 2);
  CHECK(gc.pauses_s[0] == Catch::Approx(3.214e-3));
  CHECK(gc.pauses_s[1] == Catch::Approx(0.15));
  CHECK(gc.observed_s == Catch::Approx(0.655));
  const PauseLog steps = pauses_in(pause_samples[3]);
  REQUIRE(steps.pauses_s.size() == 1);
  CHECK(steps.pauses_s[0] == Catch::Approx(7.99));
  CHECK(steps.observed_s == Catch::Approx(11.01));
  CHECK(pauses_in("1\n1\n1\n4\n", PauseFormat::steps).pauses_s == std::vector<double>{3});
  CHECK(pauses_in(pause_samples[4]).pauses_s[0] == Catch::Approx(600.047));
}

TEST_CASE("are text, nothing, negative pauses and times that go back errors with their place?") {
  CHECK(usage_error_of([] { pauses_in("0.5\nabc\n"); }).find("log:2") == 0);
  CHECK(usage_error_of([] { pauses_in(""); }).find("no pause") != std::string::npos);
  CHECK(usage_error_of([] { pauses_in("0.5\n-1\n"); }).find("log:2") == 0);
  CHECK(usage_error_of([] { pauses_in("5 1\n4 1\n"); }).find("have to increase") !=
        std::string::npos);
  CHECK(usage_error_of([] { failures_in(""); }).find("empty") != std::string::npos);
  CHECK(usage_error_of([] { failures_in("3\n2\n"); }).find("log:2") == 0);
  CHECK(usage_error_of([] { failures_in("3\nx\n"); }).find("log:2") == 0);
  CHECK(usage_error_of([] { failures_in("some text\n1\n"); }) != "");
}

TEST_CASE("is every kind of failure log recognised and read?") {
  CHECK(failures_in(failure_samples[0]).failures.size() == 4);
  const FailureLog table = failures_in(failure_samples[1]);
  CHECK(table.causes == std::vector<std::string>{"gpu", "net"});
  const FailureLog slurm = failures_in(failure_samples[2]);
  CHECK(slurm.failures.size() == 1);
  CHECK(slurm.node_seconds == 4 * 36000 + 8 * 3600);
  CHECK(slurm.failures[0].time_s == 1714611600);  // 2024-05-02 01:00 UTC
  const FailureLog lanl = failures_in(failure_samples[3]);
  CHECK(lanl.node_count == 49);
  CHECK(lanl.causes[1] == "none");
  const FailureLog spot = failures_in(failure_samples[4]);
  REQUIRE(spot.failures.size() == 2);
  CHECK(spot.failures[0].down_s == 4);
  CHECK(spot.node_count == 2);
}

TEST_CASE("are overlapping faults of one node down time once?") {
  const FailureLog log = failures_in(failure_samples[5]);
  REQUIRE(log.failures.size() == 2);
  LogChoice choice;
  choice.nodes = 1;
  Result result;
  describe(choice, log, result);
  CHECK(*result.value("down_ratio") == Catch::Approx(1));  // 2 of the 2 days observed
}

TEST_CASE("does the Weibull fit find the likelihood's maximum?") {
  std::vector<double> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(50 * std::pow(-std::log(1 - (i + .5) / 20000), 1 / 0.7));
  }
  const WeibullFit fit = fit_weibull(values);
  CHECK(fit.shape == Catch::Approx(0.7).epsilon(2e-3));
  CHECK(fit.scale == Catch::Approx(50).epsilon(2e-3));
  CHECK(usage_error_of([] { fit_weibull({1, 1}); }) != "");
}

TEST_CASE("do the public traces read as their authors count them?") {
  if (const auto path = test::outside_data("heartbeat/infinitehbd_fault_trace.json")) {
    formats::LineReader lines(*path);
    const FailureLog log = read_failures(lines);
    CHECK(log.failures.size() == 584);
    CHECK(log.nodes.size() == 231);
    CHECK(log.observed_s == Catch::Approx(345.0843 * 86400).epsilon(1e-5));
  }
  if (const auto path = test::outside_data("heartbeat/oobleck_p3-trace.csv")) {
    formats::LineReader lines(*path);
    CHECK(read_failures(lines).failures.size() > 100);
  }
}

TEST_CASE("mutations: do readers of pauses and failures answer with a log or an error?") {
  test::Mutator mutator(20261201);
  const int count = test::mutation_count(2000);
  int accepted = 0;
  for (int i = 0; i < count; ++i) {
    const std::size_t n = static_cast<std::size_t>(i);
    try {
      const PauseLog log = pauses_in(mutator.mutated(pause_samples[n % pause_samples.size()]));
      for (const double pause : log.pauses_s) REQUIRE(pause >= 0);
      accepted += std::isfinite(log.observed_s) ? 1 : 0;
    } catch (const UsageError&) {
    }
    try {
      const FailureLog log =
          failures_in(mutator.mutated(failure_samples[n % failure_samples.size()]));
      for (const Failure& failure : log.failures) {
        REQUIRE(std::isfinite(failure.time_s));
        REQUIRE(failure.cause < log.causes.size());
        REQUIRE((log.nodes.empty() || failure.node < log.nodes.size()));
      }
      ++accepted;
    } catch (const UsageError&) {
    }
  }
  CHECK(accepted > 0);
}
