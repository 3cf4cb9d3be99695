// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A value of a JSON document together with where it stands, so that every complaint about it names
// file and JSON pointer.
#pragma once

#include "core/json.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab {

/// Refers to a document that outlives it.
class JsonPlace {
 public:
  JsonPlace(const Json& json, std::string file, std::string pointer = "")
      : json_(&json), file_(std::move(file)), pointer_(std::move(pointer)) {}

  const Json& json() const { return *json_; }
  std::string where() const;  ///< "claims.json: /claims/3/expected"
  /// Throws UsageError "where: why".
  [[noreturn]] void fail(const std::string& why) const;

  bool has(const std::string& key) const { return json_->contains(key); }
  /// The member; UsageError when it is missing.
  JsonPlace at(const std::string& key) const;
  JsonPlace at(std::size_t index) const;
  /// UsageError unless it is an object with no other keys than these.
  void check_keys(const std::vector<std::string>& allowed) const;

  // UsageError for another type.
  std::string text() const;  ///< not empty
  double number() const;
  std::vector<std::string> texts() const;  ///< a list with at least one

 private:
  const Json* json_;
  std::string file_;
  std::string pointer_;
};

}  // namespace hpclab
