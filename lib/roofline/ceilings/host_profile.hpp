// hpclab: SPDX-License-Identifier: Apache-2.0
//
// From measured ceilings to a machine profile and to closing words.
#pragma once

#include "core/study.hpp"
#include "machine/profile.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hpclab::roofline::ceilings {

/// A measured value of a record as a figure, with its interval and the run as its source.
machine::Figure measured_figure(const Json& record, const std::string& value_name,
                                const std::string& conditions);

/// The name of a profile's figure for a kind of traffic ("nontemporal_copy_bytes_per_s"); the mixes
/// have none.
std::optional<std::string> figure_of_kind(const std::string& kind);

/// The profile that the records' measurements make: bandwidths, latencies and peaks of one core and
/// of all cores, clock and concurrency, each with its 95 % interval and the run that measured it;
/// that of the GPU when there are measurements on cuda.
/// Throws CaseFailed when the records hold no measured ceiling.
machine::MachineProfile profile_from_records(const std::vector<Json>& records);

/// The last lines on the screen: how many lines in flight the memory needs, and where the profile
/// went. Saves to --save-machine when given, else, after a complete run of the default experiments,
/// as this host's profile.
std::vector<std::string> conclude(const RunSummary& summary);

}  // namespace hpclab::roofline::ceilings
