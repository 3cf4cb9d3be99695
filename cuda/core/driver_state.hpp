// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Why there is a CUDA device or none, told apart by what the runtime answers.
#pragma once

#include "core/error.hpp"

#include <optional>
#include <string>

namespace hpclab::cuda {

enum class DriverCondition {
  available,       ///< at least one device
  not_built,       ///< this program was built without CUDA
  no_driver,       ///< no NVIDIA driver on this machine
  driver_too_old,  ///< a driver, but older than the runtime needs
  no_device,       ///< a driver, but no device (or none made visible)
  failed           ///< any other answer
};

struct DriverState {
  DriverCondition condition = DriverCondition::not_built;
  int error_code = 0;       ///< of cudaGetDeviceCount
  int driver_version = 0;   ///< highest CUDA version the driver serves, 13000 is 13.0; 0 is none
  int runtime_version = 0;  ///< of the CUDA runtime in this program
  int devices = 0;
  std::string reason;  ///< one sentence; empty when available
  std::string mend;    ///< what would make a device available
};

/// Reads the answers of cudaGetDeviceCount (`error_code`, `devices`) and cudaDriverGetVersion: code
/// 35 with version 0 is no driver, 35 with a version is one that is too old, 100 is no device.
DriverState classify_driver(int error_code, int driver_version, int runtime_version, int devices);

/// The state of this machine and build. Never throws; starts no device context.
DriverState query_driver_state();

/// Why the backend cuda does not work here, nullopt when it does: `require_device` as an answer.
std::optional<NotAvailable> why_no_device(const DriverState& state);

/// Throws NotAvailable with the state's reason and mend unless a device is available.
void require_device(const DriverState& state);

}  // namespace hpclab::cuda
