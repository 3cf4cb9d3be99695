// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/verb.hpp"

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

}  // namespace hpclab::app
