// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab heartbeat fleet`.
#pragma once

#include "core/context.hpp"
#include "core/parameter.hpp"
#include "core/result.hpp"
#include "core/study.hpp"
#include "heartbeat/fleet/job.hpp"
#include "heartbeat/fleet/scenario.hpp"
#include "heartbeat/log_choice.hpp"

#include <cstdint>

namespace hpclab::heartbeat::fleet {

enum class QueueKind { wheel, heap, ladder };

struct Parameters : LogChoice {
  Parameters() { failure_rate_per_s = 6.5e-3 / 86400 / 8; }

  std::int64_t ranks = 1024;
  double years = 1;
  double period_s = 1;
  double timeout_s = 30;
  double rebuild_s = 300;
  double weibull_shape = 1;
  double lemon_share = 0;
  double lemon_factor = 10;
  double checkpoint_interval_s = 0;
  double checkpoint_s = 0;
  std::int64_t spares = 0;
  double repair_s = 0;
  Shortage shortage = Shortage::wait;
  QueueKind queue = QueueKind::wheel;
  std::int64_t replications = 4;
  std::int64_t threads = 1;
};

const ParameterTable<Parameters>& parameter_table();

/// One replication's scenario.
Scenario scenario_of(const Parameters& p, std::uint64_t seed);
Totals run(const Scenario& scenario, QueueKind kind, const StopToken& stop);

Result model(const Parameters& p, Context& context);
Result simulate(const Parameters& p, Context& context);
/// How fast the engine is here: events and heartbeats a second of one core.
Result measure(const Parameters& p, Backend backend, Context& context);

}  // namespace hpclab::heartbeat::fleet
