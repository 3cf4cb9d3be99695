// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/parameter.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab {
namespace {

// As text for people; whole numbers without an exponent.
std::string plain(double value) {
  return std::abs(value) < 1e15 && value == std::floor(value) ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{}", value);
}

const char* json_type(const Json& value) {
  if (value.is_number()) return "a number";
  if (value.is_string()) return "text";
  if (value.is_boolean()) return "true or false";
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return "null";
}

[[noreturn]] void wrong_type(const ParameterSpec& spec, const Json& value,
                             const std::string& where) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  throw UsageError(fmt::format("{}: {} is {}, but '{}' takes {}", where, text, json_type(value),
                               spec.name, spec.domain_text()));
}

// Records are UTF-8, and the case id is a hash of them, so that no other bytes may enter.
bool is_utf8(const Json& text) {
  try {
    text.dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

Json checked_number(const ParameterSpec& spec, double value, const std::string& where) {
  if (spec.type == ParameterType::integer && value != std::floor(value)) {
    throw UsageError(
        fmt::format("{}: '{}' takes a whole number, got {}", where, spec.name, plain(value)));
  }
  if (!std::isfinite(value) || !(value >= spec.minimum && value <= spec.maximum)) {
    throw UsageError(fmt::format("{}: '{}' = {} is out of range, valid: {}", where, spec.name,
                                 plain(value), spec.domain_text()));
  }
  if (spec.step > 0 && value / spec.step != std::floor(value / spec.step)) {
    throw UsageError(fmt::format("{}: '{}' takes multiples of {}, got {}", where, spec.name,
                                 plain(spec.step), plain(value)));
  }
  if (spec.type == ParameterType::integer) {
    if (std::abs(value) >= 9007199254740992.) {  // 2^53 itself may be a rounded 2^53 + 1
      throw UsageError(
          fmt::format("{}: '{}' = {} is not below 2^53", where, spec.name, plain(value)));
    }
    return static_cast<std::int64_t>(value);
  }
  return value;
}

}  // namespace

std::string name_of(ParameterType type) {
  switch (type) {
    case ParameterType::integer:
      return "integer";
    case ParameterType::number:
      return "number";
    case ParameterType::choice:
      return "choice";
    case ParameterType::text:
      return "text";
    case ParameterType::flag:
      return "flag";
    case ParameterType::file:
      return "file";
  }
  return "?";
}

ParameterSpec& ParameterSpec::in_unit(std::string text) {
  unit = std::move(text);
  return *this;
}

ParameterSpec& ParameterSpec::between(double low, double high) {
  minimum = low;
  maximum = high;
  return *this;
}

ParameterSpec& ParameterSpec::at_least(double low) {
  minimum = low;
  return *this;
}

ParameterSpec& ParameterSpec::in_steps_of(double size) {
  step = size;
  return *this;
}

ParameterSpec& ParameterSpec::one_of(std::vector<std::string> names) {
  type = ParameterType::choice;
  choices = std::move(names);
  return *this;
}

ParameterSpec& ParameterSpec::affects(std::vector<Method> which) {
  methods = std::move(which);
  return *this;
}

ParameterSpec& ParameterSpec::on(std::vector<Backend> which) {
  backends = std::move(which);
  return *this;
}

ParameterSpec& ParameterSpec::when(std::string parameter, std::vector<std::string> values) {
  condition = Condition{std::move(parameter), std::move(values)};
  return *this;
}

ParameterSpec& ParameterSpec::as_positional() {
  positional = true;
  return *this;
}

ParameterSpec& ParameterSpec::as_inferred() {
  inferred = true;
  return *this;
}

ParameterSpec& ParameterSpec::derived_by(
    std::function<Json(const Json& value, const Json& before)> function) {
  derive = std::move(function);
  return *this;
}

ParameterSpec& ParameterSpec::resolved_by(std::function<Json(const Json&)> function) {
  resolve = std::move(function);
  return *this;
}

ParameterSpec& ParameterSpec::expanded_by(std::function<std::vector<Json>(const Json&)> function) {
  expand = std::move(function);
  return *this;
}

ParameterSpec& ParameterSpec::labelled_by(
    std::function<std::string(const std::filesystem::path&)> function) {
  label = std::move(function);
  return *this;
}

ParameterSpec& ParameterSpec::listed_by(
    std::function<std::vector<Json>(const Json& before)> function) {
  list = std::move(function);
  return *this;
}

bool ParameterSpec::has_method(Method method) const {
  return methods.empty() || std::find(methods.begin(), methods.end(), method) != methods.end();
}

bool ParameterSpec::has_backend(std::optional<Backend> backend) const {
  return backends.empty() || !backend ||
         std::find(backends.begin(), backends.end(), *backend) != backends.end();
}

Json ParameterSpec::check(const Json& value, const std::string& where) const {
  switch (type) {
    case ParameterType::integer:
    case ParameterType::number:
      if (value.is_number()) return checked_number(*this, value.get<double>(), where);
      if (value.is_string()) {
        if (const auto number = parse_number(value.get_ref<const std::string&>())) {
          return checked_number(*this, *number, where);
        }
      }
      wrong_type(*this, value, where);
    case ParameterType::flag:
      if (value.is_boolean()) return value;
      wrong_type(*this, value, where);
    case ParameterType::choice:
      if (!value.is_string()) wrong_type(*this, value, where);
      if (std::find(choices.begin(), choices.end(), value.get_ref<const std::string&>()) ==
          choices.end()) {
        throw UsageError(fmt::format("{}: unknown {} '{}'{}", where, name, value.get<std::string>(),
                                     suggestion(value.get<std::string>(), choices)));
      }
      return value;
    case ParameterType::text:
    case ParameterType::file:
      if (!value.is_string()) wrong_type(*this, value, where);
      if (!is_utf8(value)) throw UsageError(fmt::format("{}: '{}' is not UTF-8", where, name));
      return value;
  }
  return value;
}

Json ParameterSpec::check_text(std::string_view text, const std::string& where) const {
  if (type == ParameterType::flag) {
    if (text == "true" || text == "on" || text == "yes" || text == "1") return true;
    if (text == "false" || text == "off" || text == "no" || text == "0") return false;
  }
  return check(Json(std::string(text)), where);
}

std::string ParameterSpec::domain_text() const {
  std::string text;
  switch (type) {
    case ParameterType::integer:
    case ParameterType::number: {
      text = type == ParameterType::integer ? "a whole number" : "a number";
      const bool low = std::isfinite(minimum);
      const bool high = std::isfinite(maximum);
      if (low && high) {
        text = fmt::format("{} to {}", plain(minimum), plain(maximum));
      } else if (low) {
        text += fmt::format(" of at least {}", plain(minimum));
      } else if (high) {
        text += fmt::format(" of at most {}", plain(maximum));
      }
      if (!unit.empty()) text += " " + unit;
      return text;
    }
    case ParameterType::choice:
      return fmt::format("{}", fmt::join(choices, ", "));
    case ParameterType::flag:
      return "true or false";
    case ParameterType::file:
      return "a file name";
    case ParameterType::text:
      return "text";
  }
  return text;
}

const ParameterSpec& find_parameter(const std::vector<ParameterSpec>& specs, std::string_view name,
                                    const std::string& where) {
  std::vector<std::string> names;
  for (const ParameterSpec& spec : specs) {
    if (spec.name == name) return spec;
    names.push_back(spec.name);
  }
  throw UsageError(
      fmt::format("{}: unknown parameter '{}'{}", where, name, suggestion(name, names)));
}

}  // namespace hpclab
