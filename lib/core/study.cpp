// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include <algorithm>

namespace hpclab {

std::string name_of(Better better) {
  switch (better) {
    case Better::higher:
      return "higher";
    case Better::lower:
      return "lower";
    case Better::neither:
      return "neither";
  }
  return "?";
}

bool Study::has(Method method) const {
  switch (method) {
    case Method::model:
      return static_cast<bool>(model);
    case Method::simulate:
      return static_cast<bool>(simulate);
    case Method::measure:
      return static_cast<bool>(measure);
  }
  return false;
}

std::vector<Method> Study::methods() const {
  std::vector<Method> result;
  for (Method method : all_methods) {
    if (has(method)) result.push_back(method);
  }
  return result;
}

const ValueSpec* Study::find_value(std::string_view value_name) const {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const ValueSpec& spec) { return spec.name == value_name; });
  return found == values.end() ? nullptr : &*found;
}

}  // namespace hpclab
