// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A small study for tests of the machinery around studies: the time of n steps at a rate.
#pragma once

#include "core/case.hpp"
#include "core/context.hpp"
#include "core/error.hpp"
#include "core/registry.hpp"
#include "support/text.hpp"

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace hpclab::test {

enum class Shape { line, square, mix };

struct DemoParameters {
  std::int64_t n = 4;
  double rate = 2.0;
  Shape shape = Shape::line;
  std::string mode = "plain";
  double share = 0.5;        // only with shape = mix
  std::int64_t threads = 0;  // 0 resolves to 3
  bool warm = true;          // measure only
  std::int64_t lanes = 32;   // measure on cuda only
  std::filesystem::path input;
  std::string fault = "none";
};

inline ParameterTable<DemoParameters> demo_table() {
  using P = DemoParameters;
  ParameterTable<P> table;
  table.add(&P::n, "n", "steps").between(1, 1e9);
  table.add(&P::rate, "rate", "steps a second").between(0.5, 1e6).in_unit("steps/s");
  table
      .add_choice(&P::shape, "shape",
                  {{"line", Shape::line}, {"square", Shape::square}, {"mix", Shape::mix}},
                  "how time grows with n")
      .as_inferred();
  table.add(&P::mode, "mode", "a word").one_of({"plain", "fancy"});
  table.add(&P::share, "share", "share of squares").between(0, 1).when("shape", {"mix"});
  table.add(&P::threads, "threads", "threads; 0 means all")
      .between(0, 64)
      .resolved_by([](const Json& v) -> Json { return v == 0 ? Json(3) : v; });
  table.add(&P::warm, "warm", "touch the data first").affects({Method::measure});
  table.add(&P::lanes, "lanes", "lanes of a group").between(1, 64).on({Backend::cuda});
  table.add(&P::input, "input", "a file to read");
  table.add(&P::fault, "fault", "what goes wrong")
      .one_of({"none", "failed", "skipped", "logic", "nan", "undeclared"});
  return table;
}

inline double demo_time(const DemoParameters& p) {
  const double n = static_cast<double>(p.n);
  return (p.shape == Shape::square ? n * n : n) / p.rate;
}

inline Result demo_model(const DemoParameters& p, Context&) {
  Result result;
  if (p.fault == "failed") throw CaseFailed("outside the validity range");
  if (p.fault == "skipped") throw CaseSkipped("does not apply here");
  if (p.fault == "logic") throw std::runtime_error("unforeseen");
  if (p.fault == "nan") result.set_value("time_s", std::numeric_limits<double>::quiet_NaN());
  if (p.fault == "undeclared") result.set_value("surprise_s", 1);
  result.set_value("time_s", demo_time(p), 0.9 * demo_time(p), 1.1 * demo_time(p));
  return result;
}

inline Result demo_measure(const DemoParameters& p, Backend, Context&) {
  Result result;
  result.set_value("time_s", 1.25 * demo_time(p));
  result.set_text("bound", "steps");
  return result;
}

inline Study demo_study() {
  return StudyDefinition<DemoParameters>("demo", "steps", "How long do n steps take?", demo_table())
      .value({"time_s", "time of all steps", Better::lower, true})
      .plot({"lines", "n", "time_s", {"shape"}, true, true})
      .default_experiments(Json::array({{{"parameters", {{"n", {1, 2}}}}}}))
      .model(demo_model)
      .measure({Backend::cpu, Backend::cuda}, demo_measure)
      .estimate([](const DemoParameters& p, Method) {
        return Estimate{8.0 * static_cast<double>(p.n), 0.5};
      })
      .build();
}

inline Registry demo_registry() {
  Registry registry;
  registry.add(demo_study());
  registry.set_backend_check(
      Backend::cuda, [] { return std::optional(NotAvailable("no driver", "install one")); });
  return registry;
}

/// Text of the error that `function` throws, empty when it throws none.
template <class Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace hpclab::test
