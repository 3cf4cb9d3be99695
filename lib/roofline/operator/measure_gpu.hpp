// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Measured time of an operator on a GPU. On the emulator the same kernels are verified, not timed.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "cuda/core/runtime.hpp"
#include "roofline/operator/parameters.hpp"

namespace hpclab::roofline::operator_ {

/// Makes the machine (the emulator with the context's seed, or device 0) and measures. Throws
/// NotAvailable with the driver's state when there is no device.
Result measure_gpu(const Parameters& p, Backend backend, const Context& context);

/// Every candidate is verified on a small mesh: one beside a direct evaluation, the others beside
/// it. On a device each is then timed on the mesh of the case, the fastest verified there and
/// sampled until the stopping rule holds. Throws CaseSkipped when no kernel was built for the case,
/// CaseFailed when the mesh does not fit (with the bytes) or a kernel is wrong.
Result measure_gpu(const Parameters& p, cuda::Runtime& runtime, const Context& context);

}  // namespace hpclab::roofline::operator_
