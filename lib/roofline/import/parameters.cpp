// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/import/parameters.hpp"

#include "core/error.hpp"

#include <nlohmann/json.hpp>

namespace hpclab::roofline::import {
namespace {

// Every point of the file; reading it here means that a bad file is refused before anything runs.
std::vector<Json> points_of_file(const Json& before) {
  const std::string file = before["file"].get<std::string>();
  if (file.empty()) {
    throw UsageError(
        "roofline import: no file is given: hpclab roofline import FILE...; known "
        "logs are\n" +
        known_formats());
  }
  const auto log = read_log(file, before["format"].get<std::string>(),
                            before["launches"] == "apart" ? Launches::apart : Launches::together);
  std::vector<Json> names;
  names.reserve(log->points.size());
  for (const Point& point : log->points) names.emplace_back(point.name);
  return names;
}

ParameterTable<Parameters> make_table() {
  using P = Parameters;
  std::vector<std::string> formats{"auto"};
  for (const LogFormat& format : log_formats()) formats.push_back(format.name);
  ParameterTable<P> table;
  table.add(&P::file, "file", "log to read; plain, gz or zst").as_positional();
  table.add(&P::format, "format", "what wrote the log; auto recognises it by its content")
      .one_of(formats);
  table.add_choice(
      &P::launches, "launches", {{"together", Launches::together}, {"apart", Launches::apart}},
      "launches of one kernel (ncu, rocprof) as one point, their sum, or each its own");
  table.add(&P::point, "point", "name of a point of the log").listed_by(points_of_file);
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

}  // namespace hpclab::roofline::import
