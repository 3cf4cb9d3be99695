// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/driver_state.hpp"

#include <fmt/format.h>

namespace hpclab::cuda {
namespace {

// Of cudaError_t in driver_types.h; a build without CUDA has no such header.
constexpr int success = 0;
constexpr int insufficient_driver = 35;
constexpr int no_device = 100;

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

DriverState classify_driver(int error_code, int driver_version, int runtime_version, int devices) {
  DriverState state;
  state.error_code = error_code;
  state.driver_version = driver_version;
  state.runtime_version = runtime_version;
  state.devices = error_code == success ? devices : 0;
  if (error_code == success && devices > 0) {
    state.condition = DriverCondition::available;
  } else if (error_code == insufficient_driver && driver_version == 0) {
    state.condition = DriverCondition::no_driver;
    state.reason = "no NVIDIA driver is installed on this machine";
    state.mend = "Install the driver of the GPU, or use the backend emulator to check results";
  } else if (error_code == insufficient_driver) {
    state.condition = DriverCondition::driver_too_old;
    state.reason = fmt::format("the NVIDIA driver serves CUDA {}, this program needs {}",
                               version_text(driver_version), version_text(runtime_version));
    state.mend = "Update the driver, or build with an older CUDA toolkit";
  } else if (error_code == no_device || error_code == success) {
    state.condition = DriverCondition::no_device;
    state.reason = "the NVIDIA driver finds no CUDA device";
    state.mend =
        "Check CUDA_VISIBLE_DEVICES, the device files of the container, and that nvidia-smi lists "
        "the GPU";
  } else {
    state.condition = DriverCondition::failed;
    state.reason =
        fmt::format("the CUDA runtime answers error {} when asked for devices", error_code);
    state.mend = "See the CUDA documentation of cudaError_t for this number, and nvidia-smi";
  }
  return state;
}

std::optional<NotAvailable> why_no_device(const DriverState& state) {
  if (state.condition == DriverCondition::available) return std::nullopt;
  return NotAvailable("backend cuda: " + state.reason, state.mend);
}

void require_device(const DriverState& state) {
  if (const auto missing = why_no_device(state)) throw *missing;
}

}  // namespace hpclab::cuda
