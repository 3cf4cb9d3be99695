// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Reads a figure from elsewhere (time a DOF) with the model's counts: which share of that time each
// resource needs, so that a published figure says which kernel it can have been.
#pragma once

#include "core/result.hpp"
#include "roofline/operator/parameters.hpp"
#include "roofline/operator/resources.hpp"

namespace hpclab::roofline::operator_ {

/// Operations of the sweeps of this structure over those of the 6 sweeps of a collocated Laplacian
/// on the same points: 3 for 18 sweeps.
double sweep_flop_ratio(const operators::ElementOperator& element_operator);

/// Adds values, table `decoded` and the verdict for `p.observed_ps`, which must be above 0.
void decode(const Parameters& p, const Prediction& prediction, Result& result);

}  // namespace hpclab::roofline::operator_
