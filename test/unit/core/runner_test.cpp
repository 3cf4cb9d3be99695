// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/runner.hpp"

#include "support/catch.hpp"
#include "support/demo_cases.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <new>
#include <string>
#include <thread>
#include <vector>

using namespace hpclab;
using namespace hpclab::test;

namespace {

struct Taken {
  std::vector<Json> records;
  RunOutcome outcome;
};

Taken run(const std::vector<Case>& cases, RunOptions options = {}) {
  Taken taken;
  options.run_id = "run";
  options.take_record = [&](const Json& record) { taken.records.push_back(record); };
  taken.outcome = run_cases(cases, options);
  return taken;
}

// Cases n = 1..count of the demo study with other functions; `study` must outlive them.
std::vector<Case> cases_of(Study& study, std::int64_t count, const Json& methods) {
  Json values = Json::array();
  for (std::int64_t n = 1; n <= count; ++n) values.push_back(n);
  std::vector<Case> cases = demo_cases({{"method", methods}, {"parameters", {{"n", values}}}});
  for (Case& c : cases) c.study = &study;
  return cases;
}

std::int64_t n_of(const Json& parameters) {
  return parameters["n"].get<std::int64_t>();
}

Result time_of(double time_s) {
  Result result;
  result.set_value("time_s", time_s);
  return result;
}

}  // namespace

TEST_CASE("runner: does each fault of a study become the right status and reason?") {
  const Taken taken = run(demo_cases(
      {{"method", "model"},
       {"parameters", {{"fault", {"none", "failed", "skipped", "logic", "nan", "undeclared"}}}}}));
  std::map<std::string, std::pair<std::string, std::string>> by_fault;
  for (const Json& record : taken.records) {
    CHECK(fault_of_record(record).empty());
    by_fault[record["parameters"]["fault"]] = {record["status"], record.value("reason", "")};
  }
  using Pair = std::pair<std::string, std::string>;
  CHECK(by_fault["none"] == Pair("ok", ""));
  CHECK(by_fault["failed"] == Pair("failed", "outside the validity range"));
  CHECK(by_fault["skipped"] == Pair("skipped", "does not apply here"));
  CHECK(by_fault["logic"] == Pair("failed", "unforeseen"));
  CHECK(by_fault["nan"].first == "failed");
  CHECK(contains(by_fault["nan"].second, "time_s is not finite"));
  CHECK(by_fault["undeclared"].first == "failed");
  CHECK(contains(by_fault["undeclared"].second, "demo/steps returned the value 'surprise_s'"));
  CHECK(taken.outcome.ok == 1);
  CHECK(taken.outcome.failed == 4);
  CHECK(taken.outcome.skipped == 1);
  CHECK_FALSE(taken.outcome.interrupted);
  CHECK(taken.outcome.records == taken.records);
}

TEST_CASE("runner: are missing components skipped, and too little memory a failed case?") {
  Study study = demo_study();
  study.model = [](const Json& p, Context&) -> Result {
    if (n_of(p) == 1) throw NotAvailable("no driver", "install one");
    throw std::bad_alloc();
  };
  std::vector<Case> cases = cases_of(study, 3, "model");
  cases[2].skip_reason = "known before";
  const Taken taken = run(cases);
  REQUIRE(taken.records.size() == 3);
  CHECK(taken.records[0]["status"] == "skipped");
  CHECK(taken.records[0]["reason"] == "no driver. install one");
  CHECK(taken.records[1]["status"] == "failed");
  CHECK(taken.records[1]["reason"] == "not enough memory");
  CHECK(taken.records[2]["reason"] == "known before");
}

TEST_CASE("runner: do predictions come before measurements, and meet them?") {
  const Taken taken = run(demo_cases({{"parameters", {{"n", {2, 4, 8}}}}}));
  REQUIRE(taken.records.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const Json& record = taken.records[i];
    CHECK(record["run"] == "run");
    CHECK(record["method"] == (i < 3 ? "model" : "measure"));
    CHECK(fault_of_record(record).empty());
    if (i < 3) continue;
    CHECK(record["values"]["predicted_time_s"] == taken.records[i - 3]["values"]["time_s"]);
    CHECK(record["interval95"]["predicted_time_s"] == taken.records[i - 3]["interval95"]["time_s"]);
    CHECK(record["values"]["error_ratio"] == 0.25);
  }
}

TEST_CASE("runner: are records the same and in the same order with 1 and with 4 threads?") {
  Study study = demo_study();
  study.model = [](const Json& p, Context& context) {
    const std::int64_t n = n_of(p);
    std::this_thread::sleep_for(std::chrono::microseconds(n % 7 == 0 ? 500 : n % 3 * 50));
    if (n % 5 == 0) throw CaseFailed("by five");
    return time_of(context.random("noise").uniform());
  };
  const std::vector<Case> cases = cases_of(study, 60, {"model", "measure"});
  RunOptions options;
  options.jobs = 1;
  const Taken one = run(cases, options);
  CHECK(one.records.size() == 120);
  for (std::uint64_t jobs : {0u, 4u, 200u}) {
    options.jobs = jobs;
    const Taken many = run(cases, options);
    CHECK(many.records == one.records);
    CHECK(many.outcome.failed == one.outcome.failed);
  }
}

TEST_CASE("runner: does a stop keep what ended, also behind a case that did not?") {
  StopSource source;
  std::atomic<int> ended{0};
  constexpr int count = 9;
  Study study = demo_study();
  study.model = [&](const Json& p, Context& context) {
    if (n_of(p) == 2) {  // waits for all others, then is stopped itself
      while (ended < count - 1) std::this_thread::yield();
      source.request_stop();
      context.stop.throw_if_requested();
    }
    ++ended;
    return time_of(1);
  };
  RunOptions options;
  options.jobs = 3;
  options.stop = source.token();
  const Taken taken = run(cases_of(study, count, {"model", "measure"}), options);
  CHECK(taken.outcome.interrupted);
  REQUIRE(taken.records.size() == count - 1);
  std::vector<std::int64_t> order;
  for (const Json& record : taken.records) order.push_back(n_of(record["parameters"]));
  CHECK(order == std::vector<std::int64_t>{1, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("runner: does a stop between and within measurements end the run there?") {
  StopSource source;
  Study study = demo_study();
  bool within = true;
  study.measure = [&](const Json& p, Backend, Context& context) {
    if (n_of(p) == 3) source.request_stop();
    if (within) context.sampler.stop.throw_if_requested();
    return time_of(1);
  };
  RunOptions options;
  options.stop = source.token();
  const Taken stopped = run(cases_of(study, 5, "measure"), options);
  CHECK(stopped.outcome.interrupted);
  CHECK(stopped.records.size() == 2);

  source = StopSource();
  options.stop = source.token();
  within = false;  // the measurement in flight ends and is kept
  CHECK(run(cases_of(study, 5, "measure"), options).records.size() == 3);
}

TEST_CASE("runner: are finished cases not run again, and do they still predict?") {
  std::atomic<int> models{0};
  std::atomic<int> measurements{0};
  Study study = demo_study();
  study.model = [&](const Json& p, Context&) {
    ++models;
    return time_of(static_cast<double>(n_of(p)));
  };
  study.measure = [&](const Json& p, Backend, Context&) {
    ++measurements;
    return time_of(2 * static_cast<double>(n_of(p)));
  };
  const std::vector<Case> cases = cases_of(study, 4, {"model", "measure"});
  const Taken first = run(cases);
  RunOptions options;
  for (std::size_t i : {0u, 1u, 2u, 3u, 5u})
    options.finished.emplace(first.records[i]["id"].get<std::string>(), first.records[i]);
  models = measurements = 0;
  std::vector<std::size_t> progress;
  options.progress = [&](std::size_t done, std::size_t total) {
    CHECK(total == 8);
    progress.push_back(done);
  };
  const Taken second = run(cases, options);
  CHECK(models == 0);
  CHECK(measurements == 3);
  CHECK(second.outcome.already_finished == 5);
  CHECK(second.outcome.ok == 3);
  CHECK(second.records == std::vector<Json>{first.records[4], first.records[6], first.records[7]});
  CHECK(second.outcome.records == first.records);
  CHECK(second.records[0]["values"]["error_ratio"] == 1.0);
  CHECK(progress == std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("runner: is an error of take_record the end of the run, whatever its thread?") {
  for (std::uint64_t jobs : {1u, 4u}) {
    for (std::size_t limit : {0u, 3u, 7u}) {  // 7: among the measurements
      RunOptions options;
      options.jobs = jobs;
      std::size_t count = 0;
      options.take_record = [&](const Json&) {
        if (count == limit) throw Error("no space left", ExitCode::cases_failed);
        ++count;
      };
      const std::vector<Case> cases = demo_cases({{"parameters", {{"n", {1, 2, 3, 4, 5}}}}});
      CHECK(error_of([&] { run_cases(cases, options); }) == "no space left");
      CHECK(count == limit);
    }
  }
}

TEST_CASE("runner: does a study see its case's id, seed, machine and rule?") {
  Study study = demo_study();
  std::vector<Case> cases = cases_of(study, 1, "model");
  cases[0].seed = 9;
  cases[0].machine = MachineReference{"host", "00", nullptr};
  Context seen;
  study.model = [&](const Json&, Context& context) {
    seen = context;
    return time_of(1);
  };
  RunOptions options;
  options.sampler.stopping_rule = "count:7";
  run(cases, options);
  CHECK(seen.case_id == cases[0].id);
  CHECK(seen.seed == 9);
  CHECK(seen.machine_name == "host");
  CHECK(seen.sampler.stopping_rule == "count:7");
}

TEST_CASE("runner: does a table too large for standard output fail its case, and not the sweep?") {
  Study study = demo_study();
  study.model = [](const Json& p, Context&) {
    Result result = time_of(1);
    Table table{{"x"}, {""}, {}};
    for (int i = 0; i < (n_of(p) == 1 ? 20000 : 3); ++i) table.rows.push_back({i});
    result.set_table("t", table);
    return result;
  };
  const Taken taken = run(cases_of(study, 2, "model"));
  CHECK(taken.outcome.failed == 1);
  CHECK(taken.outcome.ok == 1);
  CHECK(contains(taken.records[0]["reason"], "give --out"));
}

TEST_CASE("runner: is a run without cases nothing at all?") {
  const Taken taken = run({});
  CHECK(taken.records.empty());
  CHECK(taken.outcome.ok == 0);
  CHECK_FALSE(taken.outcome.interrupted);
}
