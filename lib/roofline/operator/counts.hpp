// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The counts that model and measurement state alike.
#pragma once

#include "core/result.hpp"
#include "roofline/operator/parameters.hpp"

namespace hpclab::roofline::operator_ {

/// Values: unknowns, working set and its ratio to `cache_bytes` (last-level cache of the machine),
/// operations and compulsory bytes a DOF, their ratio, the even-odd saving. Work: operations of one
/// application, as executed and by the textbook.
void set_counts(Result& result, const Parameters& p, double cache_bytes);

}  // namespace hpclab::roofline::operator_
