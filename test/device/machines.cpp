// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kernels/machines.hpp"

#include "cuda/core/driver_state.hpp"

#include <cstdio>
#include <cstdlib>

namespace hpclab::test {

const std::vector<MakeRuntime>& machines() {
  const cuda::DriverState state = cuda::query_driver_state();
  if (state.condition != cuda::DriverCondition::available) {
    std::fprintf(stderr, "skipped: %s\n", state.reason.c_str());
    std::exit(77);
  }
  static const std::vector<MakeRuntime> all = {[] { return cuda::make_device(0); }};
  return all;
}

}  // namespace hpclab::test
