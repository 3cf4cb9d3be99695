// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The last lines on the screen: the degree with the smallest time a DOF, measured and predicted.
#pragma once

#include "core/study.hpp"

#include <string>
#include <vector>

namespace hpclab::roofline::operator_ {

/// One line for each series of at least two degrees (cases that differ in nothing but what follows
/// from the degree), at most eight; and what to do when no prediction fits the measurements.
std::vector<std::string> conclude(const RunSummary& summary);

}  // namespace hpclab::roofline::operator_
