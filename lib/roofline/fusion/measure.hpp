// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A chain executed and timed: on the processor here, on a GPU or the emulator in measure_gpu.cpp.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "core/study.hpp"
#include "cuda/core/runtime.hpp"
#include "roofline/fusion/parameters.hpp"

#include <string>
#include <vector>

namespace hpclab::roofline::fusion {

Result measure(const Parameters& p, Backend backend, Context& context);

/// On a machine that the caller has: verifies, and times on a device.
Result measure_gpu(const Parameters& p, cuda::Runtime& runtime, const Context& context);

/// What fusing buys, in words: the best speed-up of the run, where arithmetic takes over, and what
/// an observed speed-up implies.
std::vector<std::string> conclude(const RunSummary& summary);

}  // namespace hpclab::roofline::fusion
