// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/claim_tolerance.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/pairing.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {
namespace {

using Rule = ClaimTolerance::Rule;

const std::vector<std::pair<std::string, Rule>> words{{"exact", Rule::exact},
                                                      {"at_least", Rule::at_least},
                                                      {"at_most", Rule::at_most},
                                                      {"within", Rule::within},
                                                      {"contains", Rule::contains}};
const std::vector<std::pair<std::string, Rule>> amounts{{"relative", Rule::relative},
                                                        {"absolute", Rule::absolute},
                                                        {"standard_errors", Rule::standard_errors}};

std::vector<std::string> names_of(const std::vector<std::pair<std::string, Rule>>& rules) {
  std::vector<std::string> names;
  for (const auto& [name, rule] : rules) names.push_back(name);
  return names;
}

std::optional<Rule> rule_named(const std::vector<std::pair<std::string, Rule>>& rules,
                               const std::string& name) {
  for (const auto& [text, rule] : rules) {
    if (text == name) return rule;
  }
  return std::nullopt;
}

}  // namespace

std::string ClaimTolerance::text() const {
  switch (rule) {
    case Rule::exact:
      return "exact";
    case Rule::relative:
      return fmt::format("{:g} %", 100 * amount);
    case Rule::absolute:
      return fmt::format("+- {:g}", amount);
    case Rule::standard_errors:
      return fmt::format("{:g} standard errors", amount);
    case Rule::at_least:
      return "at least";
    case Rule::at_most:
      return "at most";
    case Rule::within:
      return "within";
    case Rule::contains:
      return "contains";
  }
  return "?";
}

ClaimTolerance parse_claim_tolerance(const Json& json, const std::string& where) {
  if (json.is_string()) {
    const auto& word = json.get_ref<const std::string&>();
    if (const auto rule = rule_named(words, word)) return {*rule, 0};
    throw UsageError(fmt::format("{}: unknown tolerance '{}'{}", where, word,
                                 suggestion(word, names_of(words))));
  }
  if (!json.is_object() || json.size() != 1) {
    throw UsageError(fmt::format("{}: a tolerance is one word ({}) or an object with one of {}",
                                 where, fmt::join(names_of(words), ", "),
                                 fmt::join(names_of(amounts), ", ")));
  }
  const std::string name = json.begin().key();
  const auto rule = rule_named(amounts, name);
  if (!rule) {
    throw UsageError(fmt::format("{}/{}: unknown key '{}'{}", where, name, name,
                                 suggestion(name, names_of(amounts))));
  }
  const Json& amount = json.begin().value();
  if (!amount.is_number() || !(amount.get<double>() > 0))
    throw UsageError(fmt::format("{}/{}: a number above 0 is needed", where, name));
  return {*rule, amount.get<double>()};
}

std::string misfit_of(const Json& expected, const ClaimTolerance& tolerance) {
  const Rule rule = tolerance.rule;
  if (rule == Rule::within) {
    const bool pair = expected.is_array() && expected.size() == 2 && expected[0].is_number() &&
                      expected[1].is_number() &&
                      expected[0].get<double>() <= expected[1].get<double>();
    return pair ? "" : "tolerance 'within' needs two numbers, the lower one first";
  }
  if (expected.is_string()) {
    return rule == Rule::exact || rule == Rule::contains
               ? ""
               : "a text is compared by tolerance 'exact' or 'contains'";
  }
  if (!expected.is_number()) return "a number, a text, a table or a file is needed";
  return rule == Rule::contains ? "tolerance 'contains' needs a text" : "";
}

ClaimMatch compare(const Json& ours, const Json& expected, const ClaimTolerance& tolerance,
                   double standard_error) {
  if (expected.is_string()) {
    const auto& have = ours.get_ref<const std::string&>();
    const auto& want = expected.get_ref<const std::string&>();
    return {tolerance.rule == Rule::contains ? have.find(want) != std::string::npos : have == want,
            std::nullopt};
  }
  const double have = ours.get<double>();
  if (tolerance.rule == Rule::within) {
    const double low = expected[0].get<double>();
    const double high = expected[1].get<double>();
    if (have >= low && have <= high) return {true, 0.0};
    return {false, error_ratio(have, have < low ? low : high)};
  }
  const double want = expected.get<double>();
  const double distance = std::abs(have - want);
  ClaimMatch match{false, error_ratio(have, want)};
  switch (tolerance.rule) {
    case Rule::exact:
      match.met = have == want;
      break;
    case Rule::relative:
      match.met = distance <= tolerance.amount * std::abs(want);
      break;
    case Rule::absolute:
      match.met = distance <= tolerance.amount;
      break;
    case Rule::standard_errors:
      match.met = distance <= tolerance.amount * standard_error;
      break;
    case Rule::at_least:
      match.met = have >= want;
      break;
    case Rule::at_most:
      match.met = have <= want;
      break;
    case Rule::within:
    case Rule::contains:
      break;
  }
  return match;
}

}  // namespace hpclab
