// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/config_keys.hpp"

#include "core/error.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache {
namespace {

constexpr double largest =
    1 << 24;  // above any size of a model; products of a few stay exact in 64 bits

}  // namespace

ConfigKeys::ConfigKeys(const Json& object, std::string origin, std::string pointer)
    : object_(&object), origin_(std::move(origin)), pointer_(std::move(pointer)) {
  if (!object.is_object()) {
    throw UsageError(
        fmt::format("{}: {}: an object is needed", origin_, pointer_.empty() ? "/" : pointer_));
  }
}

void ConfigKeys::fail(std::string_view key, const std::string& why) const {
  throw UsageError(fmt::format("{}: {}/{}: {}", origin_, pointer_, key, why));
}

const Json* ConfigKeys::find(std::string_view key) const {
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

bool ConfigKeys::has(std::string_view key) const {
  return find(key) != nullptr;
}

std::int64_t ConfigKeys::integer(std::string_view key, std::int64_t fallback) const {
  const Json* value = find(key);
  if (!value) return fallback;
  if (!value->is_number()) fail(key, "a whole number is needed");
  const double number = value->get<double>();
  if (number != std::floor(number) || number < 0 || number > largest) {
    fail(key, fmt::format("{} is no whole number from 0 to 2^24", value->dump()));
  }
  return static_cast<std::int64_t>(number);
}

std::int64_t ConfigKeys::required(std::string_view key) {
  return required_one_of({key});
}

std::int64_t ConfigKeys::required_one_of(std::initializer_list<std::string_view> keys) {
  std::string names;
  for (std::string_view key : keys) {
    if (has(key)) {
      const std::int64_t value = integer(key, 0);
      if (value == 0) fail(key, "0 is no size");
      return value;
    }
    names += (names.empty() ? "" : " or ") + std::string(key);
  }
  miss(std::move(names));
  return 1;
}

std::int64_t ConfigKeys::one_of(std::initializer_list<std::string_view> keys,
                                std::int64_t fallback) const {
  for (std::string_view key : keys) {
    if (has(key)) return integer(key, 0);
  }
  return fallback;
}

double ConfigKeys::number(std::string_view key, double fallback) const {
  const Json* value = find(key);
  if (!value) return fallback;
  if (!value->is_number()) fail(key, "a number is needed");
  return value->get<double>();
}

bool ConfigKeys::flag(std::string_view key, bool fallback) const {
  const Json* value = find(key);
  if (!value) return fallback;
  if (!value->is_boolean()) fail(key, "true or false is needed");
  return value->get<bool>();
}

std::string ConfigKeys::text(std::string_view key, const std::string& fallback) const {
  const Json* value = find(key);
  if (!value) return fallback;
  if (!value->is_string()) fail(key, "text is needed");
  return value->get<std::string>();
}

std::vector<std::int64_t> ConfigKeys::integers(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return {};
  if (!value->is_array()) fail(key, "a list of whole numbers is needed");
  std::vector<std::int64_t> all;
  for (const Json& entry : *value) {
    const double number = entry.is_number() ? entry.get<double>() : -1;
    if (number != std::floor(number) || number < 0 || number > largest) {
      fail(key, "a list of whole numbers from 0 to 2^24 is needed");
    }
    all.push_back(static_cast<std::int64_t>(number));
  }
  return all;
}

std::vector<std::string> ConfigKeys::words(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return {};
  if (!value->is_array()) fail(key, "a list of words is needed");
  std::vector<std::string> all;
  for (const Json& entry : *value) {
    if (!entry.is_string()) fail(key, "a list of words is needed");
    all.push_back(entry.get<std::string>());
  }
  return all;
}

std::optional<ConfigKeys> ConfigKeys::object(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  return ConfigKeys(*value, origin_, fmt::format("{}/{}", pointer_, key));
}

}  // namespace hpclab::kvcache
