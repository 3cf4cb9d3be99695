// hpclab: SPDX-License-Identifier: Apache-2.0
//
// From imported ceilings to a machine profile.
#pragma once

#include "core/study.hpp"
#include "machine/profile.hpp"

#include <string>
#include <vector>

namespace hpclab::roofline::import {

/// The figures that the records' logs measured, with the file as their source: of the rows of a
/// plateau the median and the central 95 %, of other rows the best. UsageError when the records
/// hold none, or are of both processors and GPUs.
machine::MachineProfile profile_from_records(const std::vector<Json>& records);

/// Writes --save-machine; says how many points contradict themselves.
std::vector<std::string> conclude(const RunSummary& summary);

}  // namespace hpclab::roofline::import
