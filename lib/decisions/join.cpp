// hpclab: SPDX-License-Identifier: Apache-2.0
#include "decisions/join.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::decisions {
namespace {

nlohmann::json parameters_of(const SideCase& c) {
  return nlohmann::json::parse(c.parameters, nullptr, false);  // sorted by name
}

// Equal for cases that belong together.
std::string key_of(const Side& side, const SideCase& c, const std::vector<std::string>& ignored) {
  nlohmann::json parameters = parameters_of(c);
  for (const std::string& name : ignored) parameters.erase(name);
  return side.groups[c.group].text() + "\n" + parameters.dump();
}

void check_ignored(const Side& a, const Side& b, const std::vector<std::string>& ignored) {
  if (ignored.empty()) return;
  std::set<std::string> names;
  for (const Side* side : {&a, &b}) {
    for (const SideCase& c : side->cases) {
      const nlohmann::json parameters = parameters_of(c);
      for (const auto& [name, value] : parameters.items()) names.insert(name);
    }
  }
  for (const std::string& name : ignored) {
    if (!names.contains(name)) {
      throw UsageError(fmt::format("--ignore: no case has a parameter '{}'{}", name,
                                   suggestion(name, {names.begin(), names.end()})));
    }
  }
}

std::string short_text(const std::string& json) {
  return json.size() <= 60 ? json : json.substr(0, 57) + "...";
}

// In what the two cases differ: name and both values.
std::vector<std::string> differences(const SideCase& x, const SideCase& y) {
  const nlohmann::json p = parameters_of(x);
  const nlohmann::json q = parameters_of(y);
  std::set<std::string> names;
  for (const auto& [name, value] : p.items()) names.insert(name);
  for (const auto& [name, value] : q.items()) names.insert(name);
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const std::string left = p.contains(name) ? short_text(p[name].dump()) : "absent";
    const std::string right = q.contains(name) ? short_text(q[name].dump()) : "absent";
    if (left != right) found.push_back(fmt::format("{}: {} in A, {} in B", name, left, right));
  }
  return found;
}

// Two large files without a common case: a sample of each shows what differs.
constexpr std::size_t cases_looked_at = 200;

[[noreturn]] void nothing_in_common(const Side& a, const Side& b) {
  if (a.cases.empty() || b.cases.empty()) {
    throw UsageError(fmt::format("compare: {} holds no case", a.cases.empty() ? "A" : "B"));
  }
  std::vector<std::string> nearest;
  bool any = false;
  for (std::size_t i = 0; i < std::min(a.cases.size(), cases_looked_at); ++i) {
    for (std::size_t j = 0; j < std::min(b.cases.size(), cases_looked_at); ++j) {
      const SideCase& x = a.cases[i];
      const SideCase& y = b.cases[j];
      if (!(a.groups[x.group] == b.groups[y.group])) continue;
      std::vector<std::string> found = differences(x, y);
      if (any && found.size() >= nearest.size()) continue;
      nearest = std::move(found);
      any = true;
    }
  }
  if (any) {
    throw UsageError(fmt::format(
        "compare: no case is in both; the nearest two differ in {}. --ignore NAME leaves a "
        "parameter out",
        fmt::join(nearest, "; ")));
  }
  std::set<std::string> left;
  std::set<std::string> right;
  for (const CaseGroup& group : a.groups) left.insert(group.text());
  for (const CaseGroup& group : b.groups) right.insert(group.text());
  throw UsageError(fmt::format("compare: no case is in both; A holds {}; B holds {}",
                               fmt::join(left, ", "), fmt::join(right, ", ")));
}

class KeyIndex {
 public:
  KeyIndex(const Side& side, const std::vector<std::uint32_t>& cases,
           const std::vector<std::string>& ignored) {
    for (const std::uint32_t index : cases) {
      const auto [entry, fresh] =
          by_key_.try_emplace(key_of(side, side.cases[index], ignored), index);
      if (fresh || ignored.empty()) continue;
      throw UsageError(
          fmt::format("--ignore: without {} two cases of one side are the same: {} and {}",
                      fmt::join(ignored, ", "), side.cases[entry->second].parameters,
                      side.cases[index].parameters));
    }
  }
  const std::uint32_t* find(const std::string& key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> by_key_;
};

}  // namespace

Join join_cases(const Side& a, const Side& b, const std::vector<std::string>& ignored) {
  check_ignored(a, b, ignored);
  Join join;
  std::vector<bool> taken(b.cases.size(), false);
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < a.cases.size(); ++i) {
    const auto partner = ignored.empty() ? b.position.find(a.cases[i].id) : b.position.end();
    if (partner == b.position.end()) {
      left.push_back(i);
      continue;
    }
    join.pairs.emplace_back(i, partner->second);
    taken[partner->second] = true;
  }
  std::vector<std::uint32_t> right;
  for (std::uint32_t j = 0; j < b.cases.size(); ++j) {
    if (!taken[j]) right.push_back(j);
  }
  if (!left.empty() && !right.empty()) {
    const KeyIndex index(b, right, ignored);
    const KeyIndex unambiguous(a, left, ignored);
    for (const std::uint32_t i : left) {
      const std::uint32_t* partner = index.find(key_of(a, a.cases[i], ignored));
      if (!partner || taken[*partner]) {
        join.only_a.push_back(i);
        continue;
      }
      join.pairs.emplace_back(i, *partner);
      taken[*partner] = true;
    }
    std::sort(join.pairs.begin(), join.pairs.end());
  } else {
    join.only_a = left;
  }
  for (const std::uint32_t j : right) {
    if (!taken[j]) join.only_b.push_back(j);
  }
  if (join.pairs.empty()) nothing_in_common(a, b);
  return join;
}

}  // namespace hpclab::decisions
