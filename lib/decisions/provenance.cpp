// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/statistics.hpp"
#include "core/units.hpp"
#include "decisions/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::decisions {
namespace {

// Facts that change from one run to the next on the same machine.
bool is_volatile(const std::string& pointer) {
  for (const char* start :
       {"/machine/load", "/machine/memory/available_bytes", "/machine/memory/swapped_bytes",
        "/machine/environment/SLURM", "/machine/container/throttled", "/hpclab/git"}) {
    if (pointer.starts_with(start)) return true;
  }
  return false;
}

using Facts = std::map<std::string, std::set<std::string>>;

void collect(const Json& json, const std::string& pointer, Facts& facts) {
  if (json.is_object()) {
    for (const auto& [name, member] : json.items()) {
      const std::string deeper = pointer + "/" + name;
      if (!is_volatile(deeper)) collect(member, deeper, facts);
    }
    return;
  }
  facts[pointer].insert(json.is_string() ? json.get<std::string>() : json.dump());
}

Facts facts_of(const Side& side) {
  Facts facts;
  for (const Json& run : side.runs) {
    for (const char* part : {"hpclab", "machine"}) {
      if (const auto found = run.find(part); found != run.end())
        collect(*found, std::string("/") + part, facts);
    }
  }
  return facts;
}

std::string words(const std::set<std::string>& values) {
  if (values.empty()) return "absent";
  std::string text = fmt::format("{}", fmt::join(values, " and "));
  return text.size() <= 120 ? text : text.substr(0, 117) + "...";
}

}  // namespace

std::vector<std::string> provenance_differences(const Side& a, const Side& b) {
  const Facts left = facts_of(a);
  const Facts right = facts_of(b);
  std::set<std::string> pointers;
  for (const auto& [pointer, values] : left) pointers.insert(pointer);
  for (const auto& [pointer, values] : right) pointers.insert(pointer);
  std::vector<std::string> lines;
  const auto values_at = [](const Facts& facts, const std::string& pointer) {
    const auto found = facts.find(pointer);
    return found == facts.end() ? std::set<std::string>() : found->second;
  };
  for (const std::string& pointer : pointers) {
    const auto x = values_at(left, pointer);
    const auto y = values_at(right, pointer);
    if (x != y)
      lines.push_back(fmt::format("{}: {} in A, {} in B", pointer.substr(1), words(x), words(y)));
  }
  const std::set<std::string> rules_a(a.stopping_rules.begin(), a.stopping_rules.end());
  const std::set<std::string> rules_b(b.stopping_rules.begin(), b.stopping_rules.end());
  if (rules_a != rules_b) {
    lines.push_back(fmt::format("stopping rule: {} in A, {} in B", words(rules_a), words(rules_b)));
  }
  if (!a.clocks_hz.empty() && !b.clocks_hz.empty()) {
    const double clock_a = median(a.clocks_hz);
    const double clock_b = median(b.clocks_hz);
    if (std::abs(clock_b / clock_a - 1.0) >= 0.01) {
      lines.push_back(fmt::format("median clock of the measurements: {} in A, {} in B",
                                  readable("clock_hz", clock_a).text(),
                                  readable("clock_hz", clock_b).text()));
    }
  }
  return lines;
}

}  // namespace hpclab::decisions
