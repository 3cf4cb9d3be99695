// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What the control groups of this process allow, in version 1 and version 2 hierarchies.
#pragma once

#include "machine/system_root.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace hpclab::machine {

struct ContainerLimits {
  int version = 0;                                  ///< 2, 1, or 0 when no control group is mounted
  std::optional<double> cpu_quota;                  ///< processors' worth of time, 1.5 for 150 %
  std::optional<std::string> cpuset;                ///< allowed processing units, e.g. "0-3,8"
  std::optional<std::uint64_t> memory_limit_bytes;  ///< the tightest on the way to the root
  std::optional<std::uint64_t> memory_headroom_bytes;  ///< limit minus use, page cache not counted
  std::optional<std::uint64_t> throttled_periods;      ///< periods in which the quota stopped us
};

/// Reads /proc/self/cgroup and the groups from this process's own up to the root that is visible.
ContainerLimits container_limits(const SystemRoot& root = SystemRoot());

}  // namespace hpclab::machine
