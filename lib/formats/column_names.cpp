// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/column_names.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "formats/fields.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace hpclab::formats {
namespace {

constexpr std::size_t most_shown = 20;

}  // namespace

ColumnNames::ColumnNames(std::vector<std::string> names, std::string where)
    : names_(std::move(names)), where_(std::move(where)) {}

std::optional<std::size_t> ColumnNames::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

std::size_t ColumnNames::require(std::string_view name) const {
  return require_one_of({name});
}

std::size_t ColumnNames::require_one_of(std::initializer_list<std::string_view> candidates) const {
  for (const std::string_view name : candidates) {
    const auto found = find(name);
    if (!found) continue;
    if (std::count(names_.begin(), names_.end(), name) > 1) {
      throw UsageError(fmt::format("{}: column '{}' is there twice", where_, name));
    }
    return *found;
  }
  std::string wanted;
  for (const std::string_view name : candidates) {
    wanted += fmt::format("{}'{}'", wanted.empty() ? "" : " or ", name);
  }
  std::string found;
  for (std::size_t i = 0; i < std::min(names_.size(), most_shown); ++i) {
    found += (i == 0 ? "" : ", ") + printable(names_[i]);
  }
  if (names_.size() > most_shown) found += fmt::format(", ... {} in all", names_.size());
  const auto nearest = nearest_name(*candidates.begin(), names_);
  throw UsageError(fmt::format("{}: missing column {}; found {}{}", where_, wanted, found,
                               nearest ? fmt::format("; nearest '{}'", printable(*nearest)) : ""));
}

}  // namespace hpclab::formats
