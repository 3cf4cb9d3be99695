// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/nearest_name.hpp"

#include <algorithm>
#include <cctype>

namespace hpclab {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = same_letter(a[i - 1], b[j - 1]) ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1])) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& candidates) {
  if (name.size() > 64) return std::nullopt;  // not a misspelt name
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t limit = std::max<std::size_t>(2, std::max(name.size(), candidate.size()) / 3);
    const bool is_prefix = name.size() >= 2 && candidate.starts_with(name);
    if (distance > limit && !is_prefix) continue;
    if (!best || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  std::string text;
  if (const auto nearest = nearest_name(name, candidates))
    text = "; did you mean '" + *nearest + "'?";
  if (candidates.empty()) return text;
  text += " (valid: ";
  const std::size_t shown = std::min<std::size_t>(candidates.size(), 24);
  for (std::size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + candidates[i];
  if (shown < candidates.size()) text += ", ... " + std::to_string(candidates.size()) + " in all";
  return text + ")";
}

}  // namespace hpclab
