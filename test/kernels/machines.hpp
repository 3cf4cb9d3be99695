// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Where the tests of a lab's kernels run: test_kernels runs them on the emulator in every order of
// threads, test_device on the device.
#pragma once

#include "cuda/core/runtime.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace hpclab::test {

using MakeRuntime = std::function<std::unique_ptr<cuda::Runtime>()>;

const std::vector<MakeRuntime>& machines();

}  // namespace hpclab::test
