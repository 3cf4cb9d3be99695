// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/json_place.hpp"

#include "core/error.hpp"
#include "core/json_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {

std::string JsonPlace::where() const {
  return file_ + ": " + (pointer_.empty() ? "/" : pointer_);
}

void JsonPlace::fail(const std::string& why) const {
  throw UsageError(where() + ": " + why);
}

JsonPlace JsonPlace::at(const std::string& key) const {
  const auto found = json_->find(key);
  if (found == json_->end()) fail(fmt::format("'{}' is missing", key));
  return {*found, file_, pointer_ + "/" + key};
}

JsonPlace JsonPlace::at(std::size_t index) const {
  return {(*json_)[index], file_, fmt::format("{}/{}", pointer_, index)};
}

void JsonPlace::check_keys(const std::vector<std::string>& allowed) const {
  if (!json_->is_object()) fail("an object is needed");
  require_known_keys(*json_, allowed, file_, pointer_);
}

std::string JsonPlace::text() const {
  if (!json_->is_string() || json_->get_ref<const std::string&>().empty()) fail("a text is needed");
  return json_->get<std::string>();
}

double JsonPlace::number() const {
  if (!json_->is_number()) fail("a number is needed");
  return json_->get<double>();
}

std::vector<std::string> JsonPlace::texts() const {
  if (!json_->is_array() || json_->empty()) fail("a list of texts is needed");
  std::vector<std::string> result;
  for (std::size_t i = 0; i < json_->size(); ++i) result.push_back(at(i).text());
  return result;
}

}  // namespace hpclab
