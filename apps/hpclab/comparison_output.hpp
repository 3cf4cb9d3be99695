// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A comparison for people (text, Markdown) and programs (JSON).
#pragma once

#include "core/json.hpp"
#include "decisions/comparison.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hpclab::app {

struct ComparisonView {
  const decisions::Side& a;
  const decisions::Side& b;
  const decisions::Comparison& comparison;
  const decisions::ComparisonOptions& options;
  std::vector<std::string> differences;  ///< of machines, builds, settings
  std::size_t most_rows = 200;           ///< SAME rows go first when there are more
};

/// Table, counts, what differs. Verdicts are words; nothing depends on colour.
std::string comparison_text(const ComparisonView& view, bool color);
std::string comparison_markdown(const ComparisonView& view);
Json comparison_json(const ComparisonView& view);

/// "+1.2 %", "-0.031 %".
std::string signed_percent(double ratio);

}  // namespace hpclab::app
