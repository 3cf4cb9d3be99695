// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What `hpclab doctor` and every run record say about GPUs: driver, devices, counters.
#pragma once

#include "core/probe.hpp"
#include "cuda/core/counters.hpp"
#include "cuda/core/driver_state.hpp"
#include "cuda/core/runtime.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hpclab::cuda {

/// A device as the provenance keeps it: what CUDA says and what its sensors show now.
struct DeviceReport {
  DeviceFacts facts;
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> power_limit_w;
};

/// Findings of the probes `gpu-driver` and `gpu-counters`. `driver_release` is the driver's own
/// version ("580.65.06"), empty where unknown.
Finding driver_finding(const DriverState& state, const std::vector<DeviceReport>& devices,
                       const std::string& driver_release);
Finding counter_finding(const CounterState& state);

/// Adds both probes; gpu-driver goes into every run record.
void register_gpu_probes(ProbeRegistry& registry);

}  // namespace hpclab::cuda
