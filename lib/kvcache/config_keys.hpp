// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Typed access to the keys of a model's configuration. Required keys that are absent are collected,
// so that one message names all of them; a wrong type says where (JSON pointer).
#pragma once

#include "core/json.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::kvcache {

class ConfigKeys {
 public:
  /// `object` must outlive this. `origin` names the file, `pointer` the object within it.
  ConfigKeys(const Json& object, std::string origin, std::string pointer);

  /// A key that is present and not null.
  bool has(std::string_view key) const;
  /// Positive whole number below 2^24; a missing key is noted and 1 returned.
  std::int64_t required(std::string_view key);
  /// The first of several spellings that is present; all of them are named when none is.
  std::int64_t required_one_of(std::initializer_list<std::string_view> keys);
  /// Whole number from 0 to 2^24, or the fallback when absent or null.
  std::int64_t integer(std::string_view key, std::int64_t fallback) const;
  std::int64_t one_of(std::initializer_list<std::string_view> keys, std::int64_t fallback) const;
  double number(std::string_view key, double fallback) const;
  bool flag(std::string_view key, bool fallback) const;
  std::string text(std::string_view key, const std::string& fallback) const;
  /// Lists; empty when the key is absent or null.
  std::vector<std::int64_t> integers(std::string_view key) const;
  std::vector<std::string> words(std::string_view key) const;
  /// A nested object, or nothing.
  std::optional<ConfigKeys> object(std::string_view key) const;

  /// Notes that this key is needed.
  void miss(std::string key) { missing_.push_back(std::move(key)); }
  const std::vector<std::string>& missing() const { return missing_; }
  /// UsageError "origin: pointer/key: why".
  [[noreturn]] void fail(std::string_view key, const std::string& why) const;

  const Json& json() const { return *object_; }
  const std::string& origin() const { return origin_; }

 private:
  const Json* find(std::string_view key) const;

  const Json* object_;
  std::string origin_;
  std::string pointer_;
  std::vector<std::string> missing_;
};

}  // namespace hpclab::kvcache
