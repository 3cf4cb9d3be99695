// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab heartbeat timeout`.
#pragma once

#include "core/context.hpp"
#include "core/parameter.hpp"
#include "core/result.hpp"
#include "core/study.hpp"
#include "heartbeat/log_choice.hpp"
#include "heartbeat/timeout_cost.hpp"

#include <string>
#include <vector>

namespace hpclab::heartbeat::timeout {

struct Parameters : LogChoice {
  double ranks = 1024;
  double period_s = 1;
  double timeout_s = 0;
  Sender sender = Sender::catch_up;
  double rebuild_s = 120;
  double rebuild_per_rank_s = 0;
  double lost_work_s = 0;
};

const ParameterTable<Parameters>& parameter_table();

/// The cost split, the optimum, the curve and the regret of every shipped default.
Result model(const Parameters& p, Context& context);

std::vector<std::string> conclude(const RunSummary& summary);

}  // namespace hpclab::heartbeat::timeout
