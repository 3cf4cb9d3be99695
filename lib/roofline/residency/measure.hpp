// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Steps executed and timed: between two processes here, on a GPU or the emulator in
// measure_gpu.cpp.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "core/study.hpp"
#include "cuda/core/runtime.hpp"
#include "roofline/residency/parameters.hpp"

#include <string>
#include <vector>

namespace hpclab::roofline::residency {

Result measure(const Parameters& p, Backend backend, Context& context);

/// On a machine that the caller has: verifies, and times on a device.
Result measure_gpu(const Parameters& p, cuda::Runtime& runtime, const Context& context);

/// Grids on which moves and sweeps are verified before anything is timed: the smallest, and one
/// whose edge divides nothing. Of those small ones the parameters of the case.
std::vector<Parameters> small_cases(const Parameters& p);

/// Values that every timed case has, from the samples of a step and of one that moves nothing.
void set_step_values(Result& result, const Parameters& p, const SampleSet& step,
                     const std::vector<double>& resident_s);

/// What residency buys, in words.
std::vector<std::string> conclude(const RunSummary& summary);

}  // namespace hpclab::roofline::residency
