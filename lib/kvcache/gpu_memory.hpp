// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a machine profile says about a GPU's memory as programs see it.
#pragma once

#include "kvcache/deployment.hpp"
#include "machine/profile.hpp"

namespace hpclab::kvcache {

/// The driver's total where the profile states it, else the size as sold less what drivers keep
/// (with a wide range). CaseFailed for a profile that is of no GPU or states no memory.
GpuMemory gpu_memory(const machine::MachineProfile& profile);

}  // namespace hpclab::kvcache
