// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab heartbeat detectors`.
#pragma once

#include "core/context.hpp"
#include "core/parameter.hpp"
#include "core/result.hpp"
#include "core/study.hpp"
#include "heartbeat/detectors/quality.hpp"
#include "heartbeat/log_choice.hpp"
#include "heartbeat/timeout_cost.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hpclab::heartbeat::detectors {

enum class Origin { generated, file };

struct Parameters : LogChoice {
  Parameters() {
    pause_rate_per_s = 0.01;
    failure_rate_per_s = 1e-5;
  }

  std::string detector = "fixed";
  double period_s = 1;
  double timeout_s = 5;
  Origin arrivals_from = Origin::generated;
  std::filesystem::path arrivals;
  std::int64_t beats = 200'000;
  double warm_up_ratio = 0.5;
  double loss_ratio = 0;
  double delay_mean_s = 0.001;
  Sender sender = Sender::catch_up;
  double rebuild_s = 60;
  std::int64_t members = 8;
};

const ParameterTable<Parameters>& parameter_table();

/// Heartbeats as the detector receives them, ascending: generated with pauses, losses and delays,
/// or those of the file.
std::vector<Sent> arrivals_of(const Parameters& p, const Context& context);

Result simulate(const Parameters& p, Context& context);

/// Closed forms: Chen's for nfd-s without pauses, and the mistakes of a fixed timeout by pauses
/// alone.
Result model(const Parameters& p, Context& context);

std::vector<std::string> conclude(const RunSummary& summary);

}  // namespace hpclab::heartbeat::detectors
