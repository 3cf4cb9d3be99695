// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One declaration per parameter. From a study's table come its options, configuration keys and
// their checks, JSON Schema, help, `describe`, completion and axes.
#pragma once

#include "core/json.hpp"
#include "core/method.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab {

/// `file` parameters name an input file; the record keeps its base name and sha256, not its folder.
enum class ParameterType { integer, number, choice, text, flag, file };

std::string name_of(ParameterType type);

/// Says that a parameter has a meaning only where another one has one of these values:
/// `chains` applies when `quantity` is `latency`.
struct Condition {
  std::string parameter;
  std::vector<std::string> values;
};

class ParameterSpec {
 public:
  std::string name;
  ParameterType type = ParameterType::text;
  Json default_value{};
  std::string help{};
  std::string unit{};
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  double step = 0;  ///< values are multiples of it; 0: any value
  std::vector<std::string> choices{};
  std::vector<Method> methods{};    ///< methods the parameter affects; empty means all
  std::vector<Backend> backends{};  ///< measurements it affects run there; empty means all
  std::optional<Condition> condition{};
  bool positional = false;
  bool inferred = false;  ///< a choice that follows from which other parameters are given
  std::function<Json(const Json&)> resolve{};  ///< turns "as many as there are" into a number
  /// The same where the answer depends on the parameters declared before this one, which are given
  /// with their final values.
  std::function<Json(const Json& value, const Json& before)> derive{};
  std::function<std::vector<Json>(const Json&)> expand{};  ///< turns a folder into its files
  /// What a record and a table call a file; its base name when not stated.
  std::function<std::string(const std::filesystem::path&)> label{};
  /// The values when none is given, from the parameters declared before: every point of a file.
  std::function<std::vector<Json>(const Json& before)> list{};

  // Setters for declarations: table.add(&P::threads, "threads", "...").in_unit("").between(1, 64);
  ParameterSpec& in_unit(std::string text);
  ParameterSpec& between(double low, double high);
  ParameterSpec& at_least(double low);
  /// Only multiples of `size` are valid.
  ParameterSpec& in_steps_of(double size);
  ParameterSpec& one_of(std::vector<std::string> names);
  ParameterSpec& affects(std::vector<Method> which);
  /// Measurements on other backends do not have the parameter; model and simulate do.
  ParameterSpec& on(std::vector<Backend> which);
  ParameterSpec& when(std::string parameter, std::vector<std::string> values);
  ParameterSpec& as_positional();
  ParameterSpec& as_inferred();
  ParameterSpec& resolved_by(std::function<Json(const Json&)> function);
  ParameterSpec& derived_by(std::function<Json(const Json& value, const Json& before)> function);
  /// One value given may stand for several, each a case.
  ParameterSpec& expanded_by(std::function<std::vector<Json>(const Json&)> function);
  ParameterSpec& labelled_by(std::function<std::string(const std::filesystem::path&)> function);
  ParameterSpec& listed_by(std::function<std::vector<Json>(const Json& before)> function);

  bool has_method(Method method) const;
  /// `backend` is null for model and simulate, which no backend limits.
  bool has_backend(std::optional<Backend> backend) const;
  bool numeric() const { return type == ParameterType::integer || type == ParameterType::number; }

  /// The value in its own JSON type, checked against type, range and choices. Numbers may come as
  /// text with a suffix ("4Ki"). Throws UsageError that starts with `where`.
  Json check(const Json& value, const std::string& where) const;
  /// The same from text of the command line.
  Json check_text(std::string_view text, const std::string& where) const;
  /// "1 to 64", "read, write, copy", "a file": for help and errors.
  std::string domain_text() const;
};

/// Parameter by name, or UsageError with the nearest name.
const ParameterSpec& find_parameter(const std::vector<ParameterSpec>& specs, std::string_view name,
                                    const std::string& where);

/// The parameters of a plain struct P. Defaults are P's own member initialisers.
template <class P>
class ParameterTable {
 public:
  template <class Member>
  ParameterSpec& add(Member P::*member, std::string name, std::string help) {
    static_assert(std::is_arithmetic_v<Member> || std::is_same_v<Member, std::string> ||
                      std::is_same_v<Member, std::filesystem::path>,
                  "enumerations are declared by add_choice");
    ParameterSpec& spec = append(std::move(name), std::move(help));
    spec.type = type_of<Member>();
    const P defaults{};
    if constexpr (std::is_same_v<Member, std::filesystem::path>) {
      spec.default_value = (defaults.*member).string();
      bind_.push_back([member](P& p, const Json& v) { p.*member = v.get<std::string>(); });
    } else {
      spec.default_value = defaults.*member;
      if constexpr (std::is_integral_v<Member> && !std::is_same_v<Member, bool>) {
        limit_to<Member>(spec);
      }
      bind_.push_back([member](P& p, const Json& v) { p.*member = v.get<Member>(); });
    }
    return spec;
  }

  /// An enumeration with the names of its values.
  template <class Enum>
  ParameterSpec& add_choice(Enum P::*member, std::string name,
                            std::vector<std::pair<std::string, Enum>> names, std::string help) {
    ParameterSpec& spec = append(std::move(name), std::move(help));
    spec.type = ParameterType::choice;
    const P defaults{};
    for (const auto& [text, value] : names) {
      spec.choices.push_back(text);
      if (value == defaults.*member) spec.default_value = text;
    }
    bind_.push_back([member, names = std::move(names)](P& p, const Json& v) {
      for (const auto& [text, value] : names) {
        if (text == v.get_ref<const std::string&>()) p.*member = value;
      }
    });
    return spec;
  }

  const std::vector<ParameterSpec>& specs() const { return specs_; }

  /// The struct for checked JSON values; names that are absent keep their default.
  P bind(const Json& values) const {
    P p{};
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const auto value = values.find(specs_[i].name);
      if (value != values.end()) bind_[i](p, *value);
    }
    return p;
  }

 private:
  template <class Member>
  static constexpr ParameterType type_of() {
    if constexpr (std::is_same_v<Member, bool>) return ParameterType::flag;
    if constexpr (std::is_integral_v<Member>) return ParameterType::integer;
    if constexpr (std::is_floating_point_v<Member>) return ParameterType::number;
    if constexpr (std::is_same_v<Member, std::filesystem::path>) return ParameterType::file;
    return ParameterType::text;
  }

  // What the member cannot hold is out of range; `between` and `at_least` narrow this further.
  template <class Member>
  static void limit_to(ParameterSpec& spec) {
    if constexpr (std::is_unsigned_v<Member>) spec.minimum = 0;
    if constexpr (sizeof(Member) <= 4) {
      spec.minimum = static_cast<double>(std::numeric_limits<Member>::min());
      spec.maximum = static_cast<double>(std::numeric_limits<Member>::max());
    }
  }

  ParameterSpec& append(std::string name, std::string help) {
    ParameterSpec& spec = specs_.emplace_back();
    spec.name = std::move(name);
    spec.help = std::move(help);
    return spec;
  }

  std::vector<ParameterSpec> specs_;
  std::vector<std::function<void(P&, const Json&)>> bind_;
};

}  // namespace hpclab
