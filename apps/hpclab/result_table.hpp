// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Records as a table for people: one row a point of the grid, prediction and measurement side by
// side.
#pragma once

#include "core/study.hpp"

#include <string>
#include <vector>

namespace hpclab::app {

/// Table of one study's case records: parameters that differ between rows, headline values with
/// their 95 % interval, predictions and signed error, and last in words what binds or why a case
/// has no result.
std::string result_table(const Study& study, const std::vector<Json>& records, bool color);

/// "level=l1 kind=read threads=2": the recorded parameters of a case.
std::string parameters_text(const Json& recorded);

}  // namespace hpclab::app
