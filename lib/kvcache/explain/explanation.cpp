// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/explain/explanation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::kvcache::explain {

std::string verdict_of(double logged, const Estimate& expected) {
  const double slack = 0.005 * std::abs(expected.value);
  if (logged > expected.high + slack) return "more than expected";
  if (logged < expected.low - slack) return "less than expected";
  return "ok";
}

void add_item(Explanation& explanation, std::string name, const LoggedBytes* logged,
              const Estimate& expected, std::string comment) {
  ExplainedItem item;
  item.name = std::move(name);
  item.expected = expected;
  item.comment = std::move(comment);
  if (logged) {
    item.logged = logged->bytes;
    item.unexplained = std::max(0.0, std::abs(logged->bytes - expected.value) - logged->rounding());
    explanation.residual_bytes += item.unexplained;
    const std::string verdict = verdict_of(logged->bytes, expected);
    item.comment = item.comment.empty() ? verdict : verdict + ": " + item.comment;
  }
  explanation.items.push_back(std::move(item));
}

std::optional<std::string> unit_confusion(const LoggedBytes& logged, double expected) {
  if (logged.unit_bytes <= 1 || expected <= 0) return std::nullopt;
  const double decimal = logged.unit.starts_with("G")   ? 1e9
                         : logged.unit.starts_with("M") ? 1e6
                                                        : 1e3;
  const double as_decimal = logged.bytes / logged.unit_bytes * decimal;
  const bool binary_fits = std::abs(logged.bytes / expected - 1) < 0.02;
  const bool decimal_fits = std::abs(as_decimal / expected - 1) < 0.02;
  if (binary_fits || !decimal_fits) return std::nullopt;
  return fmt::format(
      "line {}: {:.2f} {} fits only with units of {:.0e} bytes: the log mixes GB and GiB",
      logged.line, logged.bytes / logged.unit_bytes, logged.unit, decimal);
}

}  // namespace hpclab::kvcache::explain
