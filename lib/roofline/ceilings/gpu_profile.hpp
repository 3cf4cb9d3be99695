// hpclab: SPDX-License-Identifier: Apache-2.0
//
// From ceilings measured on a GPU to its machine profile.
#pragma once

#include "core/json.hpp"
#include "machine/profile.hpp"

#include <string>
#include <vector>

namespace hpclab::roofline::ceilings {

/// A finished measurement on backend cuda; emulator records carry no figures.
bool is_gpu_measurement(const Json& record);

/// "NVIDIA H200" -> "nvidia-h200".
std::string gpu_profile_name(const std::string& device);

/// The profile that the cuda records make: bandwidths, latencies, peaks, launches and links, each
/// with its interval and run. Throws CaseFailed when there is no such record.
machine::MachineProfile gpu_profile_from_records(const std::vector<Json>& records);

}  // namespace hpclab::roofline::ceilings
