// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Declared work of a GPU kernel beside what the device's counters see of it.
#pragma once

#include "core/result.hpp"
#include "cuda/core/counters.hpp"
#include "cuda/operators/variant_work.hpp"

#include <functional>
#include <string>
#include <vector>

namespace hpclab::roofline::operator_ {

/// Metrics that the audit reads; counters that a chip lacks are an error of configure().
std::vector<std::string> audited_metrics();

/// Rows: quantity, unit, declared, counted, counted over declared, for all that was declared not to
/// be 0. `elements` is how many the counted work applied the operator to.
Table audit_table(const operators::VariantWork& work, double elements,
                  const cuda::CounterValues& counted);

/// Counts `apply` (which waits for the device) and sets the table "counters"; where counters are
/// not to be had, adds a note that says why.
void audit(Result& result, const operators::VariantWork& work, double elements,
           const std::function<void()>& apply);

}  // namespace hpclab::roofline::operator_
