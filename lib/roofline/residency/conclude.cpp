// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/units.hpp"
#include "roofline/residency/measure.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::roofline::residency {
namespace {

double value_of(const Json& record, const char* name) {
  const Json& values = record["values"];
  return values.contains(name) ? values[name].get<double>() : 0;
}

// How the arrays of a case move, in words.
std::string moves_of(const Json& p) {
  const std::string ways = p.value("ways", std::string("both"));
  const auto arrays = p.value("moved_arrays", 2);
  return fmt::format("{} array{} {} at each step, {} memory", arrays, arrays == 1 ? "" : "s",
                     ways == "both" ? "both ways" : ways, p.value("host_memory", std::string()));
}

}  // namespace

std::vector<std::string> conclude(const RunSummary& summary) {
  std::vector<std::string> lines;
  for (const char* method : {"model", "measure"}) {
    const Json* worst = nullptr;
    for (const Json& record : summary.records) {
      if (record["status"] != "ok" || record["method"] != method ||
          value_of(record, "slowdown_ratio") <= 0 || value_of(record, "moved_bytes") <= 0) {
        continue;
      }
      if (!worst || value_of(record, "slowdown_ratio") > value_of(*worst, "slowdown_ratio"))
        worst = &record;
    }
    if (!worst) continue;
    lines.push_back(fmt::format(
        "{}: keeping the arrays on the device makes a step {:.3g} times faster ({} instead of {}: "
        "{})",
        method, value_of(*worst, "slowdown_ratio"),
        readable("kernel_s", value_of(*worst, "kernel_s")).text(),
        readable("time_s", value_of(*worst, "time_s")).text(), moves_of((*worst)["parameters"])));
  }
  return lines;
}

}  // namespace hpclab::roofline::residency
