// hpclab: SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda/roofline/ceilings/arguments.hpp"
#include "roofline/ceilings/peak.hpp"

namespace hpclab::roofline::ceilings {

/// The type in which a GPU's vector units multiply; CaseSkipped for those of tensor units only.
Precision gpu_vector_precision(PeakPrecision precision);

}  // namespace hpclab::roofline::ceilings
