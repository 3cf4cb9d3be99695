// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kernels/machines.hpp"

#include "kernels/support.hpp"

namespace hpclab::test {

const std::vector<MakeRuntime>& machines() {
  static const std::vector<MakeRuntime> all = [] {
    std::vector<MakeRuntime> emulators;
    for (const std::uint64_t seed : seeds()) {
      emulators.emplace_back([seed] { return cuda::make_emulator(seed); });
    }
    return emulators;
  }();
  return all;
}

}  // namespace hpclab::test
