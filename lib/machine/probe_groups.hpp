// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The groups that register_probes() puts together, one source file each.
#pragma once

#include "machine/probes.hpp"

#include <vector>

namespace hpclab::machine {

std::vector<Probe> processor_probes(const ProbeInputs& inputs);
std::vector<Probe> clock_probes(const ProbeInputs& inputs);
std::vector<Probe> memory_probes(const ProbeInputs& inputs);
std::vector<Probe> system_probes(const ProbeInputs& inputs);
std::vector<Probe> load_probes(const ProbeInputs& inputs);
std::vector<Probe> tool_probes(const ProbeInputs& inputs);

}  // namespace hpclab::machine
