// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/pairing.hpp"

#include "support/catch.hpp"
#include "support/demo_cases.hpp"

using namespace hpclab;
using namespace hpclab::test;

namespace {

// A study with two headline values and all three methods; the functions are never called here.
Study paired_study() {
  Study study = demo_study();
  study.simulate = study.model;
  study.values.insert(study.values.begin(),
                      ValueSpec{"count", "no headline", Better::neither, false});
  study.values.push_back(ValueSpec{"rate_hz", "second headline", Better::higher, true});
  return study;
}

Case case_of(const Study& study, Method method, const std::string& key = "k") {
  Case c;
  c.study = &study;
  c.method = method;
  c.parameters = c.recorded = Json::object();
  if (method == Method::measure) {
    c.backend = Backend::cpu;
    c.pairing = {{Method::model, "model/" + key}, {Method::simulate, "simulate/" + key}};
  } else {
    c.pairing = {{method, name_of(method) + "/" + key}};
  }
  return c;
}

Json record_of(const Case& c, const Result& result, CaseStatus status = CaseStatus::ok) {
  return case_record(c, "run", status, result, "reason");
}

Result time_of(double time_s) {
  Result result;
  result.set_value("time_s", time_s);
  return result;
}

}  // namespace

TEST_CASE("pairing: is the error measured / predicted - 1, and nothing for a prediction of zero?") {
  CHECK(*error_ratio(3, 2) == 0.5);
  CHECK(*error_ratio(1, 2) == -0.5);
  CHECK(*error_ratio(0, 2) == -1);
  CHECK(*error_ratio(-3, -2) == 0.5);
  CHECK_FALSE(error_ratio(1, 0));
  CHECK_FALSE(error_ratio(0, 0));
}

TEST_CASE("pairing: does a measurement get the prediction, its interval and the error?") {
  const Study study = paired_study();
  PredictionBook book;
  Result predicted;
  predicted.set_value("time_s", 4, 3, 6);
  predicted.set_value("count", 7);
  predicted.set_value("rate_hz", 8);
  const Case model = case_of(study, Method::model);
  book.add(model, record_of(model, predicted));
  Result measured = time_of(5);
  measured.set_value("rate_hz", 16);
  book.pair(case_of(study, Method::measure), measured);
  CHECK(measured.value("time_s") == 5.);
  CHECK(measured.value("predicted_time_s") == 4.);
  CHECK(measured.interval("predicted_time_s") == std::pair(3., 6.));
  CHECK(measured.value("predicted_rate_hz") == 8.);
  CHECK_FALSE(measured.interval("predicted_rate_hz"));
  CHECK_FALSE(measured.value("predicted_count"));  // not measured
  CHECK(measured.value("error_ratio") == 0.25);    // of the first headline value only
  CHECK_FALSE(measured.value("simulation_error_ratio"));
}

TEST_CASE("pairing: is the error of the first headline value that was measured?") {
  const Study study = paired_study();
  PredictionBook book;
  Result predicted = time_of(4);
  predicted.set_value("rate_hz", 8);
  const Case model = case_of(study, Method::model);
  book.add(model, record_of(model, predicted));
  Result measured;
  measured.set_value("rate_hz", 16);
  book.pair(case_of(study, Method::measure), measured);
  CHECK(measured.value("error_ratio") == 1.);
}

TEST_CASE("pairing: does a simulation stand in for the model, or beside it under its own name?") {
  const Study study = paired_study();
  const Case simulate = case_of(study, Method::simulate);
  const Case model = case_of(study, Method::model);
  PredictionBook alone;
  alone.add(simulate, record_of(simulate, time_of(2)));
  Result measured = time_of(3);
  alone.pair(case_of(study, Method::measure), measured);
  CHECK(measured.value("simulated_time_s") == 2.);
  CHECK(measured.value("error_ratio") == 0.5);
  CHECK_FALSE(measured.value("predicted_time_s"));

  PredictionBook both = alone;
  both.add(model, record_of(model, time_of(4)));
  measured = time_of(3);
  both.pair(case_of(study, Method::measure), measured);
  CHECK(measured.value("error_ratio") == -0.25);
  CHECK(measured.value("simulation_error_ratio") == 0.5);
  CHECK(measured.value("predicted_time_s") == 4.);
}

TEST_CASE("pairing: does a prediction of zero leave no error behind?") {
  const Study study = paired_study();
  const Case model = case_of(study, Method::model);
  PredictionBook book;
  book.add(model, record_of(model, time_of(0)));
  Result measured = time_of(3);
  book.pair(case_of(study, Method::measure), measured);
  CHECK(measured.value("predicted_time_s") == 0.);
  CHECK_FALSE(measured.value("error_ratio"));
}

TEST_CASE("pairing: of predictions for several machines, is the first kept and named?") {
  const Study study = paired_study();
  PredictionBook book;
  for (const auto& [name, time_s] : {std::pair("first", 2.), std::pair("second", 9.)}) {
    Case model = case_of(study, Method::model);
    model.recorded["machine"] = {{"name", name}, {"sha256", "00"}};
    book.add(model, record_of(model, time_of(time_s)));
  }
  Result measured = time_of(3);
  book.pair(case_of(study, Method::measure), measured);
  CHECK(measured.value("predicted_time_s") == 2.);
  CHECK(measured.text()["predicted_for"] == "first");
}

TEST_CASE("pairing: are failed predictions, measurements and other parameters no predictions?") {
  const Study study = paired_study();
  PredictionBook book;
  const Case model = case_of(study, Method::model);
  book.add(model, record_of(model, Result(), CaseStatus::failed));
  book.add(model, record_of(model, Result(), CaseStatus::skipped));
  const Case measure = case_of(study, Method::measure);
  book.add(measure, record_of(measure, time_of(1)));
  const Case elsewhere = case_of(study, Method::model, "other");
  book.add(elsewhere, record_of(elsewhere, time_of(1)));
  Result measured = time_of(3);
  book.pair(measure, measured);
  CHECK(measured.values().size() == 1);
  book.add(model, record_of(model, time_of(2)));  // tried again with success
  book.pair(measure, measured);
  CHECK(measured.value("error_ratio") == 0.5);
}
