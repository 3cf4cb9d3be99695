// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The window that `--profile` opens for nsys --capture-range=cudaProfilerApi and for ncu
// --profile-from-start off.
#pragma once

#include "core/profiler_hook.hpp"

namespace hpclab::cuda {

/// cudaProfilerStart and cudaProfilerStop. Both functions are empty in a build without CUDA; what
/// the calls answer is ignored, since a profiler may be absent.
ProfilerHook profiler_hook();

}  // namespace hpclab::cuda
