// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters that say how long pauses are and how often ranks fail: by a distribution and a rate,
// or by a log. Several studies of the lab have them.
#pragma once

#include "core/parameter.hpp"
#include "core/result.hpp"
#include "heartbeat/logs/failures.hpp"
#include "heartbeat/logs/pauses.hpp"
#include "heartbeat/pause_law.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hpclab::heartbeat {

enum class PauseKind { exponential, pareto, lognormal, bimodal, file };
enum class FailureOrigin { rate, file };

struct LogChoice {
  PauseKind pause = PauseKind::exponential;
  double pause_mean_s = 0.5;
  double pause_minimum_s = 0.05;
  double pause_shape = 1.5;
  double pause_median_s = 0.05;
  double pause_sigma = 1;
  double second_share = 0.01;
  double second_mean_s = 8;
  double second_deviation_s = 0.5;
  std::filesystem::path pauses;
  logs::PauseFormat pauses_as = logs::PauseFormat::automatic;
  double pause_rate_per_s = 1.0 / 86400;

  FailureOrigin failures_from = FailureOrigin::rate;
  double failure_rate_per_s = 1e-8;
  std::filesystem::path failures;
  std::int64_t system = 0;
  double from_s = 0;
  double until_s = 0;
  std::int64_t nodes = 0;
  std::int64_t ranks_per_node = 8;
};

/// The pause law of the choice; of a file also its log.
std::pair<PauseLawPtr, std::optional<logs::PauseLog>> pauses_of(const LogChoice& choice);

/// The failure log of the choice, none for a rate.
std::optional<logs::FailureLog> failures_of(const LogChoice& choice);

/// Failures a second of one rank, by the log's exposure.
double rank_failure_rate(const LogChoice& choice, const logs::FailureLog& log);

/// What a failure log says: counts, gaps with their Weibull fit, repair times, a table of causes.
void describe(const LogChoice& choice, const logs::FailureLog& log, Result& result);

/// Declares the members of LogChoice for a parameter struct that derives from it.
template <class P>
void add_pause_parameters(ParameterTable<P>& table) {
  table
      .template add_choice<PauseKind>(
          &P::pause, "pause",
          {{"exponential", PauseKind::exponential},
           {"pareto", PauseKind::pareto},
           {"lognormal", PauseKind::lognormal},
           {"bimodal", PauseKind::bimodal},
           {"file", PauseKind::file}},
          "distribution of pause lengths; bimodal: exponential ones and "
          "a share of long, normal ones; file: those of `pauses`")
      .as_inferred();
  const auto number = [&](double P::*member, const char* name, const char* help,
                          std::vector<std::string> kinds, double low, double high) {
    table.template add<double>(member, name, help)
        .between(low, high)
        .when("pause", std::move(kinds));
  };
  number(&P::pause_mean_s, "pause_mean_s", "mean pause; of bimodal ones the mean of the short ones",
         {"exponential", "bimodal"}, 1e-9, 1e7);
  number(&P::pause_minimum_s, "pause_minimum_s", "shortest pause", {"pareto"}, 1e-9, 1e7);
  number(&P::pause_shape, "pause_shape", "exponent of the tail; above 1, else there is no mean",
         {"pareto"}, 1.01, 100);
  number(&P::pause_median_s, "pause_median_s", "median pause", {"lognormal"}, 1e-9, 1e7);
  number(&P::pause_sigma, "pause_sigma", "deviation of the pause's logarithm", {"lognormal"}, 1e-3,
         10);
  number(&P::second_share, "second_share", "share of long pauses", {"bimodal"}, 0, 1);
  number(&P::second_mean_s, "second_mean_s", "mean of the long pauses", {"bimodal"}, 1e-9, 1e7);
  number(&P::second_deviation_s, "second_deviation_s", "their standard deviation", {"bimodal"},
         1e-9, 1e7);
  table
      .template add<std::filesystem::path>(
          &P::pauses, "pauses",
          "log of pauses: seconds, one a line (or start and pause), JVM garbage collection, step "
          "times, PyTorch watchdog lines")
      .when("pause", {"file"});
  table
      .template add_choice<logs::PauseFormat>(&P::pauses_as, "pauses_as",
                                              {{"automatic", logs::PauseFormat::automatic},
                                               {"column", logs::PauseFormat::column},
                                               {"gc", logs::PauseFormat::gc},
                                               {"steps", logs::PauseFormat::steps},
                                               {"watchdog", logs::PauseFormat::watchdog}},
                                              "how the log is read; step times in a column have to "
                                              "be asked for")
      .when("pause", {"file"});
  table
      .template add<double>(&P::pause_rate_per_s, "pause_rate_per_s",
                            "pauses of one rank a second; 0 with a log: as often as in the log")
      .between(0, 1e6);
}

/// `nodes_fail`: whole nodes fail also at a given rate, so that their size always matters.
template <class P>
void add_failure_parameters(ParameterTable<P>& table, bool nodes_fail = false) {
  table
      .template add_choice<FailureOrigin>(
          &P::failures_from, "failures_from",
          {{"rate", FailureOrigin::rate}, {"file", FailureOrigin::file}},
          "how often ranks fail: by failure_rate_per_s, or as in the log `failures`")
      .as_inferred();
  table
      .template add<double>(&P::failure_rate_per_s, "failure_rate_per_s",
                            "failures of one rank a second")
      .between(0, 1e3)
      .when("failures_from", {"rate"});
  table
      .template add<std::filesystem::path>(
          &P::failures, "failures",
          "log of failures: CSV of times, sacct -P, LANL events, InfiniteHBD fault trace, spot "
          "instances")
      .when("failures_from", {"file"});
  table.template add<std::int64_t>(&P::system, "system", "LANL: one of its systems; 0: all")
      .between(0, 1e6)
      .when("failures_from", {"file"});
  table.template add<double>(&P::from_s, "from_s", "events of the log before this are left out")
      .between(0, 1e12)
      .when("failures_from", {"file"});
  table.template add<double>(&P::until_s, "until_s", "events from this on are left out; 0: none")
      .between(0, 1e12)
      .when("failures_from", {"file"});
  table
      .template add<std::int64_t>(&P::nodes, "nodes",
                                  "nodes of the machine that the log is of; 0: as the log says")
      .between(0, 1e9)
      .when("failures_from", {"file"});
  ParameterSpec& ranks_per_node =
      table
          .template add<std::int64_t>(&P::ranks_per_node, "ranks_per_node",
                                      "ranks that a failing node takes along")
          .between(1, 1024);
  if (!nodes_fail) ranks_per_node.when("failures_from", {"file"});
}

}  // namespace hpclab::heartbeat
