// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Measured time of an operator. `measure` hands each backend to the function that runs it.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "roofline/operator/parameters.hpp"

namespace hpclab::roofline::operator_ {

Result measure(const Parameters& p, Backend backend, Context& context);

/// On this processor's cores: random vectors, verified on sampled elements against a direct
/// evaluation, then repeated until the stopping rule holds. Throws CaseSkipped for an instruction
/// set that the processor lacks, CaseFailed when memory or cores do not suffice or the kernel is
/// wrong.
Result measure_cpu(const Parameters& p, const Context& context);

/// What a measurement and its prediction say together: `model_error_ratio`,
/// `fraction_of_bound_ratio` (time that the predicted binding resource needs over the measured
/// time), and the names of that resource and the next.
void compare(const Json& prediction, Result& measured);

}  // namespace hpclab::roofline::operator_
