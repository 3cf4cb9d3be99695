// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Figures of public start-up logs: what was asked for, and what the engine said it had left. The
// file is configs/kvcache/logs/start-up-logs.json; its README line says what the keys mean.
#pragma once

#include "kvcache/deployment.hpp"
#include "kvcache/model_description.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hpclab::kvcache::overhead {

struct StartUpLog {
  std::string id;
  std::string source;  ///< repository and number of an issue, or another public log
  ModelDescription model;
  GpuMemory gpu;
  Deployment deployment;  ///< resolved
  /// Bytes by name: available, weights, activation, libraries, consumed, graphs.
  std::map<std::string, double> logged;
  bool in_fit = true;  ///< false: scored only
  double available = 0;

  std::optional<double> bytes(const std::string& name) const;
};

/// UsageError with a JSON pointer for unknown keys, models and machines.
std::vector<StartUpLog> read_start_up_logs(const std::filesystem::path& file);

/// The shipped file.
std::filesystem::path shipped_start_up_logs();

}  // namespace hpclab::kvcache::overhead
