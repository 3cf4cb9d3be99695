// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/units.hpp"
#include "hpclab/verb.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::app {
namespace {

std::optional<double> share(std::string_view text) {
  if (!text.ends_with('%')) return parse_number(text);
  text.remove_suffix(1);
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  return *number / 100.0;
}

}  // namespace

const std::vector<std::string>& Arguments::all(const std::string& name) const {
  static const std::vector<std::string> none;
  const auto found = values_.find(name);
  return found == values_.end() ? none : found->second;
}

std::optional<std::string> Arguments::one(const std::string& name) const {
  const auto& values = all(name);
  if (values.empty()) return std::nullopt;
  return values.back();
}

std::vector<std::string> comma_words(const Arguments& arguments, const std::string& option) {
  std::vector<std::string> result;
  for (const std::string& text : arguments.all(option)) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      if (end == begin) throw UsageError(fmt::format("--{}: '{}' has an empty word", option, text));
      result.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return result;
}

double share_argument(const Arguments& arguments, const std::string& option, double fallback,
                      double low, double high) {
  const auto text = arguments.one(option);
  if (!text) return fallback;
  const auto given = share(*text);
  if (!given) throw UsageError(fmt::format("--{}: '{}' is no share, e.g. 2%", option, *text));
  if (*given < low || *given > high) {
    throw UsageError(fmt::format("--{}: {} is out of range; valid: {:g}% to {:g}%", option, *text,
                                 100.0 * low, 100.0 * high));
  }
  return *given;
}

}  // namespace hpclab::app
