// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Runs another program to its end, with a time limit, bounded output and nothing left behind.
#pragma once

#include "core/stop_token.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab {

struct ChildOptions {
  double time_limit_s =
      0.0;  ///< 0: none. Past it the child's process group gets SIGTERM, then SIGKILL
  double kill_grace_s = 0.5;  ///< time between the two
  /// Changes to the inherited environment: a value sets the variable, std::nullopt removes it.
  std::map<std::string, std::optional<std::string>> environment;
  std::filesystem::path working_directory;  ///< empty: the caller's
  std::string stdin_text;                   ///< what the child reads; nothing when empty
  std::size_t capture_limit_bytes =
      16U << 20U;  ///< of each stream; what comes after is read and dropped
  StopToken stop;  ///< a request kills the group and throws Interrupted
};

struct ChildResult {
  int exit_code = -1;      ///< -1 when a signal ended it
  int signal = 0;          ///< the signal that ended it, or 0
  bool timed_out = false;  ///< the time limit was reached
  std::string stdout_text;
  std::string stderr_text;
  bool stdout_truncated = false;  ///< more came than was kept
  bool stderr_truncated = false;
  double wall_s = 0.0;  ///< from before the start until the child was gone
  double cpu_s = 0.0;   ///< user and system time of the child and of what it waited for
  /// Largest resident set of any one of these processes; the kernel counts in what the caller held
  /// when it started the child, so that only more than that is known to be the child's.
  double peak_memory_bytes = 0.0;

  bool succeeded() const { return exit_code == 0 && !timed_out; }
};

/// Runs argv[0] (searched in PATH unless it has a slash; a relative path counts from the caller's
/// directory) and waits for it. The child leads its own process group; when it ends, whatever is
/// left of that group is killed, so that no grandchild keeps the machine busy. It inherits no
/// descriptors but the three standard ones. Throws NotAvailable when the program cannot be started,
/// UsageError when the working directory is no directory, std::invalid_argument for an empty argv,
/// std::system_error when the system refuses pipes or processes. Any number of threads may call it
/// at once.
ChildResult run_child(const std::vector<std::string>& argv, const ChildOptions& options = {});

/// The executable that `name` means under PATH (or the given list of directories): its path, or
/// nothing. A name with a slash is checked itself.
std::optional<std::filesystem::path> find_in_path(
    std::string_view name, const std::optional<std::string>& directories = std::nullopt);

}  // namespace hpclab
