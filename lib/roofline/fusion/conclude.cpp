// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/units.hpp"
#include "roofline/fusion/measure.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::roofline::fusion {
namespace {

double value_of(const Json& record, const char* name) {
  const Json& values = record["values"];
  return values.contains(name) ? values[name].get<double>() : 0;
}

// The fused chain with the most operations of each kind of answer says most.
void say_speedups(const std::vector<Json>& records, std::vector<std::string>& lines) {
  for (const char* method : {"model", "measure"}) {
    const Json* longest = nullptr;
    for (const Json& record : records) {
      if (record["status"] != "ok" || record["method"] != method ||
          record["parameters"]["fusion"] == "unfused" || value_of(record, "speedup_ratio") == 0) {
        continue;
      }
      if (!longest || value_of(record, "speedup_ratio") > value_of(*longest, "speedup_ratio"))
        longest = &record;
    }
    if (!longest) continue;
    lines.push_back(fmt::format(
        "{}: {}, {}: {:.3g} times faster than one operation a pass, at {:.0f} % of a copy's "
        "bandwidth",
        method, (*longest)["text"].value("chain", std::string("chain")),
        readable("time_s", value_of(*longest, "time_s")).text(),
        value_of(*longest, "speedup_ratio"), 100 * value_of(*longest, "fraction_of_copy_ratio")));
  }
}

void say_crossover(const std::vector<Json>& records, std::vector<std::string>& lines) {
  for (const Json& record : records) {
    const double crossover = value_of(record, "crossover_operations");
    if (record["status"] != "ok" || crossover <= 0) continue;
    lines.push_back(
        fmt::format("fusing more than {:.0f} {} operations brings nothing further: arithmetic then "
                    "takes longer "
                    "than memory",
                    crossover, record["parameters"]["precision"].get<std::string>()));
    return;
  }
}

}  // namespace

std::vector<std::string> conclude(const RunSummary& summary) {
  std::vector<std::string> lines;
  say_speedups(summary.records, lines);
  say_crossover(summary.records, lines);
  for (const Json& record : summary.records) {
    const double implied = value_of(record, "implied_operations");
    if (record["status"] != "ok" || implied <= 0) continue;
    lines.push_back(
        fmt::format("a speed-up of {:.4g} by fusing implies about {:.0f} {}-input operations",
                    record["parameters"]["observed_speedup"].get<double>(), implied,
                    record["parameters"]["inputs"].get<std::string>()));
  }
  return lines;
}

}  // namespace hpclab::roofline::fusion
