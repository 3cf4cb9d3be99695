// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/nearest_name.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace hpclab {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_previous(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) current[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_previous, previous);
    std::swap(previous, current);
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] =
          std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before_previous[j - 2] + 1);
    }
  }
  return current[b.size()];
}

std::string nearest_name(std::string_view word, std::span<const std::string_view> valid) {
  std::size_t best = std::max<std::size_t>(2, word.size() / 2) + 1;
  std::string_view nearest;
  for (const std::string_view name : valid) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  if (nearest.empty() && word.size() >= 2) {
    for (const std::string_view name : valid) {
      if (name.starts_with(word)) return std::string(name);
    }
  }
  return std::string(nearest);
}

}  // namespace hpclab
