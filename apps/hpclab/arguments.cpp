// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/verb.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::app {

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

}  // namespace hpclab::app
