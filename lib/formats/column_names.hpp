// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The columns of a table by name, for readers that must not depend on their order.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::formats {

class ColumnNames {
 public:
  ColumnNames() = default;
  /// `where` is the place of the header, for messages.
  ColumnNames(std::vector<std::string> names, std::string where);

  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  std::optional<std::size_t> find(std::string_view name) const;
  /// UsageError "file:1: missing column 'x', found a, b, c; did you mean 'xx'?"; also when the name
  /// stands there twice, because which of the two is meant cannot be known.
  std::size_t require(std::string_view name) const;
  /// The first of these names that is there; programs rename their columns.
  std::size_t require_one_of(std::initializer_list<std::string_view> candidates) const;

 private:
  std::vector<std::string> names_;
  std::string where_;
};

}  // namespace hpclab::formats
