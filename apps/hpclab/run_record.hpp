// hpclab: SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json.hpp"
#include "hpclab/program.hpp"

#include <string>

namespace hpclab::app {

/// The record that begins a run: build, machine, command line, cost of the harness, and what the
/// studies of its cases declare, by "lab/study".
Json run_record(const Program& program, const std::string& run_id, Json studies);

}  // namespace hpclab::app
