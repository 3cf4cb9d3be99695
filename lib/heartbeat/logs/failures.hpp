// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Failures from the logs that people have: CSV of times, Slurm accounting (sacct -P), the LANL
// events, the InfiniteHBD fault trace, traces of spot instances ("ms,add|remove,node").
#pragma once

#include "formats/line_reader.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hpclab::heartbeat::logs {

struct Failure {
  double time_s = 0;
  double down_s = 0;        ///< 0: not known
  std::uint32_t node = 0;   ///< index in FailureLog::nodes
  std::uint32_t cause = 0;  ///< index in FailureLog::causes
};

struct FailureLog {
  std::string format;
  std::vector<Failure> failures;    ///< by time
  std::vector<std::string> nodes;   ///< those that failed, by name
  std::vector<std::string> causes;  ///< at least one
  double node_count = 0;            ///< of the machine; 0: the log does not say
  double observed_s = 0;            ///< from the first event to the last
  double node_seconds = 0;          ///< exposure, where the log states it (Slurm); else 0
};

/// What of a log is wanted.
struct FailureSelection {
  std::int64_t system = 0;  ///< LANL: one of its systems; 0: all
  double from_s = 0;
  double until_s = std::numeric_limits<double>::infinity();
};

/// UsageError "file:line: ..." for what is none of these formats, for text where a number belongs
/// and for a file in which nothing failed.
FailureLog read_failures(formats::LineReader& lines, const FailureSelection& selection = {});

/// Maximum-likelihood Weibull of positive values: survival exp(-(x / scale)^shape). UsageError
/// below two different values.
struct WeibullFit {
  double shape = 1;
  double scale = 1;
};
WeibullFit fit_weibull(const std::vector<double>& values);

/// Times between failures of the whole machine, in order; zeros included.
std::vector<double> gaps_of(const FailureLog& log);

}  // namespace hpclab::heartbeat::logs
