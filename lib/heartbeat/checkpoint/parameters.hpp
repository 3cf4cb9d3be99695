// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab heartbeat checkpoint`.
#pragma once

#include "core/context.hpp"
#include "core/parameter.hpp"
#include "core/result.hpp"
#include "core/study.hpp"
#include "heartbeat/checkpoint/interval.hpp"

#include <cstdint>

namespace hpclab::heartbeat::checkpoint {

struct Parameters : Costs {
  double interval_s = 0;
  double weibull_shape = 1;
  std::int64_t segments = 200'000;
};

const ParameterTable<Parameters>& parameter_table();

Result model(const Parameters& p, Context& context);

/// Segments of work one after another under Weibull failures with the same mean: renewal after each
/// failure, which interrupts work, checkpoint and restart.
Result simulate(const Parameters& p, Context& context);

}  // namespace hpclab::heartbeat::checkpoint
