// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/claims_table.hpp"

#include "core/units.hpp"
#include "hpclab/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

constexpr std::array verdicts{ClaimVerdict::met, ClaimVerdict::not_met, ClaimVerdict::known_not_met,
                              ClaimVerdict::skipped};

using Counts = std::map<ClaimVerdict, int>;

// Whether four digits, as readable() has them, would not tell all of a whole number.
bool is_long_count(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 &&
         std::fmod(value, std::pow(10, std::floor(std::log10(std::abs(value))) - 3)) != 0;
}

// What must be exact is shown whole; a quotient has no unit of its own.
std::string number_text(const Claim& claim, double value) {
  if (claim.tolerance.rule == ClaimTolerance::Rule::exact && is_long_count(value))
    return fmt::format("{:.0f}", value);
  if (claim.over || claim.divisor != 1) return fmt::format("{:.5g}", value);
  const ClaimAddress& address = claim.ours.address;
  return readable(address.column.empty() ? address.name : address.column, value).text();
}

// A sentence would push the other columns off the screen; --json has all of it.
std::string beginning_of(const std::string& text) {
  std::size_t end = 40;
  if (text.size() <= end) return text;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // UTF-8
  return text.substr(0, end) + "...";
}

std::string figure_text(const Claim& claim, const Json& figure) {
  if (figure.is_string()) return beginning_of(figure.get<std::string>());
  if (figure.is_number()) return number_text(claim, figure.get<double>());
  if (figure.is_array()) {
    return number_text(claim, figure[0].get<double>()) + " to " +
           number_text(claim, figure[1].get<double>());
  }
  return "";
}

std::string tolerance_text(const Claim& claim) {
  if (claim.tolerance.rule != ClaimTolerance::Rule::absolute) return claim.tolerance.text();
  return "+- " + number_text(claim, claim.tolerance.amount);
}

std::string error_text(const ClaimOutcome& outcome) {
  if (!outcome.error_ratio) return "";
  const double percent = 100 * *outcome.error_ratio;
  if (percent == 0) return "0 %";
  return std::abs(percent) < 0.1 ? fmt::format("{:+.1e} %", percent)
                                 : fmt::format("{:+.2f} %", percent);
}

std::string verdict_text(const ClaimOutcome& outcome) {
  const std::string verdict = name_of(outcome.verdict);
  return outcome.reason.empty() ? verdict : verdict + ": " + outcome.reason;
}

std::string counts_text(const Counts& counts) {
  std::string text;
  for (const ClaimVerdict verdict : verdicts) {
    const auto found = counts.find(verdict);
    if (found == counts.end()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", found->second, name_of(verdict));
  }
  return text;
}

std::string study_of(const Claim& claim) {
  const Study& study = *claim.ours.of.study;
  return study.lab + " " + study.name;
}

// The claims [begin, end), all of one study.
std::string study_text(const std::vector<Claim>& claims, const std::vector<ClaimOutcome>& outcomes,
                       std::size_t begin, std::size_t end, bool color) {
  TextTable table;
  table.add_column("id");
  for (const char* heading : {"ours", "expected", "error", "tolerance"})
    table.add_column(heading, true);
  for (const char* heading : {"kind", "source", "verdict"}) table.add_column(heading);
  std::vector<std::string> sources;
  for (std::size_t i = begin; i < end; ++i) {
    auto source = std::find(sources.begin(), sources.end(), claims[i].source);
    const auto number = source - sources.begin() + 1;
    if (source == sources.end()) sources.push_back(claims[i].source);
    table.add_row({claims[i].id, figure_text(claims[i], outcomes[i].ours),
                   figure_text(claims[i], outcomes[i].expected), error_text(outcomes[i]),
                   tolerance_text(claims[i]), name_of(claims[i].kind), fmt::format("[{}]", number),
                   verdict_text(outcomes[i])});
  }
  std::string text = study_of(claims[begin]) + "\n" + table.text(color);
  for (std::size_t s = 0; s < sources.size(); ++s)
    text += fmt::format("  [{}] {}\n", s + 1, wrapped(sources[s], 92, 6));
  return text + "\n";
}

Json counts_json(const Counts& counts) {
  Json json = Json::object();
  for (const ClaimVerdict verdict : verdicts) {
    std::string name = name_of(verdict);
    std::replace(name.begin(), name.end(), ' ', '_');
    const auto found = counts.find(verdict);
    json[name] = found == counts.end() ? 0 : found->second;
  }
  return json;
}

Json case_json(const ClaimCase& of) {
  Json json = {{"parameters", of.parameters}, {"method", name_of(of.method)}};
  if (of.backend) json["backend"] = name_of(*of.backend);
  if (!of.machine.empty()) json["machine"] = of.machine;
  return json;
}

Json claim_json(const Claim& claim, const ClaimOutcome& outcome) {
  Json json = {{"lab", claim.ours.of.study->lab},
               {"study", claim.ours.of.study->name},
               {"id", claim.id},
               {"kind", name_of(claim.kind)},
               {"address", claim.ours.address.text()}};
  json.update(case_json(claim.ours.of));
  if (claim.over) {
    json["over"] = {{"address", claim.over->address.text()}};
    json["over"].update(case_json(claim.over->of));
  } else if (claim.divisor != 1) {
    json["over"] = claim.divisor;
  }
  json["ours"] = outcome.ours;
  json["expected"] = outcome.expected;
  json["error_ratio"] = outcome.error_ratio ? Json(*outcome.error_ratio) : Json(nullptr);
  json["tolerance"] = claim.tolerance.text();
  json["source"] = claim.source;
  json["verdict"] = name_of(outcome.verdict);
  if (!outcome.reason.empty()) json["reason"] = outcome.reason;
  return json;
}

}  // namespace

std::string claims_text(const std::vector<Claim>& claims, const std::vector<ClaimOutcome>& outcomes,
                        bool color) {
  std::string text;
  Counts all;
  std::map<ClaimKind, Counts> kinds;
  for (std::size_t begin = 0; begin < claims.size();) {
    std::size_t end = begin;
    while (end < claims.size() && study_of(claims[end]) == study_of(claims[begin])) {
      ++all[outcomes[end].verdict];
      ++kinds[claims[end].kind][outcomes[end].verdict];
      ++end;
    }
    text += study_text(claims, outcomes, begin, end, color);
    begin = end;
  }
  text += fmt::format("{} claims: {}\n", claims.size(), counts_text(all));
  for (const auto& [kind, counts] : kinds)
    text += fmt::format("  {:<20} {}\n", name_of(kind), counts_text(counts));
  return text;
}

Json claims_json(const std::vector<Claim>& claims, const std::vector<ClaimOutcome>& outcomes) {
  Json list = Json::array();
  Counts all;
  std::map<ClaimKind, Counts> kinds;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    list.push_back(claim_json(claims[i], outcomes[i]));
    ++all[outcomes[i].verdict];
    ++kinds[claims[i].kind][outcomes[i].verdict];
  }
  Json by_kind = Json::object();
  for (const auto& [kind, counts] : kinds) by_kind[name_of(kind)] = counts_json(counts);
  return {{"claims", std::move(list)}, {"counts", counts_json(all)}, {"kinds", std::move(by_kind)}};
}

}  // namespace hpclab::app
