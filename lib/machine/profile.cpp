// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/profile.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "machine/profile_vocabulary.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::machine {
namespace {

void check_known(const std::string& what, const std::string& word,
                 const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  throw UsageError(fmt::format("unknown {} '{}'{}", what, word, suggestion(word, known)));
}

}  // namespace

const char* name_of(MachineKind kind) {
  return kind == MachineKind::cpu ? "cpu" : "gpu";
}

const char* name_of(FigureStatus status) {
  switch (status) {
    case FigureStatus::published:
      return "published";
    case FigureStatus::measured:
      return "measured";
    case FigureStatus::derived:
      return "derived";
  }
  return "unknown";
}

void MachineProfile::set(const std::string& group, const std::string& figure_name, Figure figure) {
  check_known("group", group, profile_groups());
  check_known("figure", figure_name, profile_figure_names(group));
  if (!std::isfinite(figure.value) || figure.value <= 0) {
    throw UsageError(fmt::format("value {} is not a finite number above 0", figure.value));
  }
  if (figure.source.empty()) throw UsageError("a figure needs a source");
  if (figure.interval95) {
    const auto [low, high] = *figure.interval95;
    if (!std::isfinite(high) || !(0 < low && low <= figure.value && figure.value <= high)) {
      throw UsageError(fmt::format("interval95 [{}, {}] does not enclose the value {}", low, high,
                                   figure.value));
    }
  }
  figures_[group][figure_name] = std::move(figure);
}

const Figure* MachineProfile::find(std::string_view group, std::string_view figure_name) const {
  const auto names = figures_.find(std::string(group));
  if (names == figures_.end()) return nullptr;
  const auto found = names->second.find(std::string(figure_name));
  return found == names->second.end() ? nullptr : &found->second;
}

const Figure& MachineProfile::figure(std::string_view group, std::string_view figure_name) const {
  return first_of(group, {figure_name});
}

double MachineProfile::require(std::string_view group, std::string_view figure_name) const {
  return figure(group, figure_name).value;
}

const Figure& MachineProfile::first_of(std::string_view group,
                                       std::initializer_list<std::string_view> figure_names) const {
  for (const std::string_view candidate : figure_names) {
    if (const Figure* found = find(group, candidate)) return *found;
  }
  std::string wanted;
  for (const std::string_view candidate : figure_names) {
    wanted += fmt::format("{}{}.{}", wanted.empty() ? "" : " or ", group, candidate);
  }
  std::string present;
  if (const auto names = figures_.find(std::string(group)); names != figures_.end()) {
    for (const auto& [present_name, unused] : names->second) {
      present += (present.empty() ? "" : ", ") + present_name;
    }
  }
  throw FigureMissing(fmt::format(
      "machine profile {} does not state {} (it has {}); choose another --machine, or measure one "
      "with hpclab roofline ceilings",
      name, wanted,
      present.empty() ? fmt::format("nothing in group {}", group)
                      : fmt::format("{}: {}", group, present)));
}

std::array<double, 2> MachineProfile::interval95(std::string_view group,
                                                 std::string_view figure_name) const {
  const Figure& stated = figure(group, figure_name);
  return stated.interval95.value_or(std::array<double, 2>{stated.value, stated.value});
}

std::string profile_name_from(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    const auto character = static_cast<unsigned char>(c);
    c = std::isalnum(character) ? static_cast<char>(std::tolower(character)) : '-';
  }
  return name.empty() ? "machine" : name;
}

}  // namespace hpclab::machine
