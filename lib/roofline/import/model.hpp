// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A point of a log under the ceilings of the machine that is asked for, with its counts redone.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "roofline/import/parameters.hpp"

namespace hpclab::roofline::import {

Result model(const Parameters& p, Context& context);

}  // namespace hpclab::roofline::import
