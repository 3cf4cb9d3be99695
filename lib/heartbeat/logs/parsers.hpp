// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One function a format; `first` is the line that the reader gave last.
#pragma once

#include "heartbeat/logs/failures.hpp"

#include <string>

namespace hpclab::heartbeat::logs {

FailureLog read_times(formats::LineReader& lines, const std::string& first);
FailureLog read_slurm(formats::LineReader& lines, const std::string& first);
FailureLog read_lanl(formats::LineReader& lines, const std::string& first, std::int64_t system);
FailureLog read_spot(formats::LineReader& lines, const std::string& first);
FailureLog read_fault_trace(formats::LineReader& lines, const std::string& first);

}  // namespace hpclab::heartbeat::logs
