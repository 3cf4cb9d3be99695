// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Constants of the overhead from logs: each is the median of what single logs say of it.
#pragma once

#include "kvcache/overhead/start_up_logs.hpp"
#include "kvcache/overhead_constants.hpp"

#include <string>
#include <vector>

namespace hpclab::kvcache::overhead {

/// One constant: by which name, of which logs, with which values.
struct Evidence {
  std::string constant;
  std::vector<std::string> ids;
  std::vector<double> values;
  double median() const;
};

struct Fit {
  OverheadConstants constants;
  std::vector<Evidence> evidence;
};

/// Fits on the logs whose in_fit is set, leaving out the one with index `without` (or none with a
/// larger index). Constants of which no log is left have the value that counting buffers gives.
Fit fit_constants(const std::vector<StartUpLog>& logs, std::size_t without);

/// Bytes for the cache that these constants predict for a log. Weights are computed from the
/// configuration; where a checkpoint's quantisation is not described, those that the log states.
double predicted_available(const StartUpLog& log, const OverheadConstants& constants);

}  // namespace hpclab::kvcache::overhead
