// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Conditions over parameters, for `exclude`: degree > 8 && dof < 1e5 || kind == "triad".
#pragma once

#include "core/json.hpp"

#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace hpclab {

/// Grammar, loosest first: `||`, `&&`, comparison (== != < <= > >=), `+ -`, `* / %`, unary `! -`,
/// parentheses, numbers (with k M G Ki Mi Gi), quoted text, true, false, names. A bare name that is
/// no parameter is text: kind == triad.
class Expression {
 public:
  /// Throws UsageError with the position of the first thing that cannot be read.
  Expression(std::string_view text, const std::string& where);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /// Names used in the expression (parameters and bare words).
  const std::set<std::string>& names() const { return names_; }
  const std::string& text() const { return text_; }

  /// True when the condition holds for `parameters`. Comparing numbers with text is an error.
  bool holds(const Json& parameters) const;

  struct Node;

 private:
  std::string text_;
  std::string where_;
  std::set<std::string> names_;
  std::unique_ptr<Node> root_;
};

}  // namespace hpclab
