// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The device side of a build without CUDA: it says so.
#include "cuda/core/driver_state.hpp"
#include "cuda/core/profiler.hpp"
#include "cuda/core/runtime.hpp"

namespace hpclab::cuda {

DriverState query_driver_state() {
  DriverState state;
  state.condition = DriverCondition::not_built;
  state.reason = "this program was built without CUDA";
  state.mend = "Configure with -DHPCLAB_CUDA=ON where nvcc is installed";
  return state;
}

ProfilerHook profiler_hook() {
  return {};
}

DeviceFacts facts_of_device(int) {
  require_device(query_driver_state());
  return {};
}

std::unique_ptr<Runtime> make_device(int) {
  require_device(query_driver_state());
  return nullptr;
}

}  // namespace hpclab::cuda
