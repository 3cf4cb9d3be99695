// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Cases and valid records of the demo study.
#pragma once

#include "core/case.hpp"
#include "core/record.hpp"
#include "support/demo_study.hpp"

#include <string>
#include <vector>

namespace hpclab::test {

/// Cases of a configuration for the demo study; lab and study may be left out.
inline std::vector<Case> demo_cases(const Json& config) {
  static const Registry registry = demo_registry();
  Json full = {{"lab", "demo"}, {"study", "steps"}};
  full.update(config);
  return expand(experiments_from_json(full, registry, "demo.json"), registry, {}).cases;
}

/// The model case of `n` steps.
inline Case demo_case(std::int64_t n) {
  return demo_cases({{"method", "model"}, {"parameters", {{"n", n}}}}).front();
}

inline Json demo_run_record(const std::string& run = "00000000000000aa") {
  return {{"record", "run"},
          {"schema", schema_version()},
          {"run", run},
          {"started", "2026-01-31T12:00:00Z"}};
}

/// The record of the model case of `n` steps that took `time_s`.
inline Json demo_record(std::int64_t n, CaseStatus status = CaseStatus::ok, double time_s = 2) {
  Result result;
  if (status == CaseStatus::ok) result.set_value("time_s", time_s, 0.5 * time_s, 2 * time_s);
  return case_record(demo_case(n), "00000000000000aa", status, result,
                     status == CaseStatus::ok ? "" : "because");
}

inline Json demo_end_record(std::uint64_t ok) {
  return {{"record", "end"}, {"run", "00000000000000aa"},
          {"cases", ok},     {"ok", ok},
          {"failed", 0u},    {"skipped", 0u},
          {"seconds", 1.5}};
}

}  // namespace hpclab::test
