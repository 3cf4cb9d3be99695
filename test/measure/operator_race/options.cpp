// hpclab: SPDX-License-Identifier: Apache-2.0
#include "measure/operator_race/options.hpp"

#include "core/error.hpp"

#include <cstdlib>
#include <iterator>

namespace hpclab::race {
namespace {

template <std::size_t size>
int index_of(const char* const (&names)[size], const std::string& name) {
  for (std::size_t i = 0; i < size; ++i)
    if (name == names[i]) return static_cast<int>(i);
  throw UsageError("'" + name + "' is unknown");
}

std::vector<double> numbers(const std::string& list) {
  std::vector<double> result;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    char* end = nullptr;
    const std::string one = list.substr(at, comma - at);
    result.push_back(std::strtod(one.c_str(), &end));
    if (one.empty() || *end != 0) throw UsageError("'" + one + "' is no number");
    at = comma + 1;
  }
  return result;
}

}  // namespace

Options parse(int count, char** arguments) {
  Options options;
  static constexpr const char* kinds[] = {"bk1", "bk3", "bk5", "bp1", "bp3", "bp5"};
  static constexpr const char* geometries[] = {"stored", "trilinear", "affine"};
  options.element_operator.kind = operators::OperatorKind::bp5;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) throw UsageError("'" + argument + "' is not NAME=VALUE");
    const std::string name = argument.substr(0, equals), value = argument.substr(equals + 1);
    if (name == "kind") {
      options.element_operator.kind = static_cast<operators::OperatorKind>(index_of(kinds, value));
    } else if (name == "geometry") {
      options.element_operator.geometry =
          static_cast<operators::Geometry>(index_of(geometries, value));
    } else if (name == "even_odd") {
      options.element_operator.even_odd = value != "0";
    } else if (name == "isa") {
      options.isa = instruction_set_of(value);
    } else if (name == "degrees") {
      options.degrees.clear();
      for (const double degree : numbers(value))
        options.degrees.push_back(static_cast<int>(degree));
    } else if (name == "mib") {
      options.mebibytes = numbers(value);
    } else if (name == "rounds") {
      options.rounds = static_cast<int>(numbers(value).front());
    } else if (name == "burst") {
      options.burst_s = numbers(value).front();
    } else if (name == "ceiling_mib") {
      options.ceiling_bytes = static_cast<std::size_t>(numbers(value).front()) << 20;
    } else if (name == "backend") {
      options.backend = value;
    } else if (name == "json") {
      options.json = value;
    } else if (name == "text") {
      options.text = value;
    } else {
      throw UsageError(
          "'" + name +
          "' is unknown; valid are kind, geometry, even_odd, isa, degrees, mib, rounds, "
          "burst, ceiling_mib, backend, json, text");
    }
  }
  return options;
}

}  // namespace hpclab::race
