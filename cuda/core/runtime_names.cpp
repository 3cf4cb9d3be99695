// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/runtime.hpp"

namespace hpclab::cuda {

const char* name_of(Backend backend) {
  return backend == Backend::cuda ? "cuda" : "emulator";
}

}  // namespace hpclab::cuda
