// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Measured ceilings of the processor. One function a quantity; `measure` chooses, and hands GPU
// backends to measure_gpu.hpp.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "roofline/ceilings/parameters.hpp"

#include <functional>
#include <string>

namespace hpclab::roofline::ceilings {

Result measure(const Parameters& p, Backend backend, Context& context);

Result measure_bandwidth(const Parameters& p, const Context& context);
Result measure_latency(const Parameters& p, const Context& context);
Result measure_concurrency(const Parameters& p, const Context& context);
Result measure_flops(const Parameters& p, const Context& context);
Result measure_clock(const Context& context);
/// Start and end of a team that does nothing, from the view of who starts it.
Result measure_launch(const Parameters& p, const Context& context);
Result measure_levels(const Context& context);

/// Median and interval of amount/time as a rate: `amount` bytes or flops a sample.
void set_rate(Result& result, const std::string& name, double amount, const SampleSet& samples);

/// Raw samples, noise notes and the reason why sampling ended.
void set_samples(Result& result, const SampleSet& samples);

/// How often to repeat a pass so that a sample lasts about 2 ms: long against the clock's step and
/// the start of a team, short against a time slice. `seconds(n)` runs n passes; the fastest of
/// several counts, because one that was preempted would make every later sample too short.
std::size_t calibrated_repeats(const std::function<double(std::size_t)>& seconds);

/// Threads as an int, checked against the cores that the process may use (CaseFailed).
int checked_threads(const Parameters& p);

}  // namespace hpclab::roofline::ceilings
