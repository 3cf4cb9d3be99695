// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Which GPU kernels stand for election in a case.
#pragma once

#include "cuda/operators/variants.hpp"
#include "roofline/operator/parameters.hpp"

#include <vector>

namespace hpclab::roofline::operator_ {

/// The kernels built for the operator that `kernel` (and for slab and block `matrix`) allow. Throws
/// CaseSkipped, naming what was built, when there is none.
std::vector<operators::KernelVariant> gpu_candidates(const Parameters& p);

}  // namespace hpclab::roofline::operator_
