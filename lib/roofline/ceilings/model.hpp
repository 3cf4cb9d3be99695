// hpclab: SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "roofline/ceilings/parameters.hpp"

namespace hpclab::roofline::ceilings {

/// Theoretical ceiling, at the measured or the nominal clock, from the context's machine profile.
/// For this-cpu, bandwidth follows the documented loads and stores per cycle of every kind; other
/// profiles state theoretical bandwidths of reads. latency and concurrency need a profile with
/// measured latencies. Throws CaseSkipped for quantities without a model, CaseFailed naming the
/// figure that the profile lacks.
Result model(const Parameters& p, Context& context);

/// The same for a profile of a GPU: theoretical bandwidths and peaks as the profile states them,
/// else those measured on such a machine, as are latencies and launch times. Throws CaseSkipped for
/// figures that it does not state.
Result gpu_model(const Parameters& p, const machine::MachineProfile& profile);

}  // namespace hpclab::roofline::ceilings
