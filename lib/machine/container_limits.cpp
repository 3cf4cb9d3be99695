// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/container_limits.hpp"

#include "machine/memory.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

namespace hpclab::machine {
namespace {

/// The group's directory and all its parents up to the mount point. A container that has its own
/// namespace sees "/" or a path of the host that does not exist here: only the mount point is left.
std::vector<std::string> groups(const SystemRoot& root, const std::string& mount,
                                std::string group) {
  std::vector<std::string> paths;
  while (!group.empty() && group != "/") {
    if (root.exists(mount + group)) paths.push_back(mount + group);
    group.erase(group.find_last_of('/'));
  }
  paths.push_back(mount);
  return paths;
}

/// Whether `controller` is in a comma-separated list; "" matches the empty list only.
bool lists(const std::string& controllers, const std::string& controller) {
  if (controller.empty() || controllers.empty()) return controller == controllers;
  std::istringstream words(controllers);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == controller) return true;
  }
  return false;
}

/// Path of this process's group: controller "" is the version 2 line "0::/path".
std::string own_group(const SystemRoot& root, const std::string& controller) {
  std::istringstream lines(root.text("/proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (lists(controllers, controller)) {
      return line.substr(second + 1);
    }
  }
  return "/";
}

void tighten(std::optional<double>& limit, double value) {
  limit = limit ? std::min(*limit, value) : value;
}

void tighten(std::optional<std::uint64_t>& limit, std::uint64_t value) {
  limit = limit ? std::min(*limit, value) : value;
}

void add_memory(ContainerLimits& limits, std::int64_t limit, std::int64_t used,
                const std::map<std::string, std::string>& statistics,
                const std::string& cache_key) {
  const auto found = statistics.find(cache_key);
  const std::int64_t cache = found == statistics.end() ? 0 : std::atoll(found->second.c_str());
  tighten(limits.memory_limit_bytes, static_cast<std::uint64_t>(limit));
  const std::int64_t left = limit - std::max<std::int64_t>(0, used - cache);
  tighten(limits.memory_headroom_bytes,
          static_cast<std::uint64_t>(std::max<std::int64_t>(0, left)));
}

ContainerLimits version_2(const SystemRoot& root) {
  ContainerLimits limits;
  limits.version = 2;
  for (const std::string& path : groups(root, "/sys/fs/cgroup", own_group(root, ""))) {
    std::istringstream quota(root.text(path + "/cpu.max").value_or("max"));
    double budget = 0, period = 0;
    if (quota >> budget >> period && period > 0) tighten(limits.cpu_quota, budget / period);
    if (const auto limit = root.integer(path + "/memory.max")) {
      add_memory(limits, *limit, root.integer(path + "/memory.current").value_or(0),
                 root.table(path + "/memory.stat"), "inactive_file");
    }
    if (!limits.cpuset) {
      const auto set = root.text(path + "/cpuset.cpus.effective");
      if (set && !set->empty()) limits.cpuset = set;
    }
    const auto statistics = root.table(path + "/cpu.stat");
    if (const auto found = statistics.find("nr_throttled");
        found != statistics.end() && !limits.throttled_periods) {
      limits.throttled_periods = std::strtoull(found->second.c_str(), nullptr, 10);
    }
  }
  return limits;
}

ContainerLimits version_1(const SystemRoot& root) {
  constexpr std::int64_t unlimited = std::int64_t{1} << 60;  // the kernel prints LONG_MAX, rounded
  ContainerLimits limits;
  limits.version = 1;
  for (const std::string& path : groups(root, "/sys/fs/cgroup/cpu", own_group(root, "cpu"))) {
    const auto quota = root.integer(path + "/cpu.cfs_quota_us");
    const auto period = root.integer(path + "/cpu.cfs_period_us");
    if (quota && *quota > 0 && period && *period > 0) {
      tighten(limits.cpu_quota, static_cast<double>(*quota) / static_cast<double>(*period));
    }
  }
  for (const std::string& path : groups(root, "/sys/fs/cgroup/memory", own_group(root, "memory"))) {
    const auto limit = root.integer(path + "/memory.limit_in_bytes");
    if (limit && *limit < unlimited) {
      add_memory(limits, *limit, root.integer(path + "/memory.usage_in_bytes").value_or(0),
                 root.table(path + "/memory.stat"), "total_inactive_file");
    }
  }
  for (const std::string& path : groups(root, "/sys/fs/cgroup/cpuset", own_group(root, "cpuset"))) {
    const auto set = root.text(path + "/cpuset.cpus");
    if (set && !set->empty() && !limits.cpuset) limits.cpuset = set;
  }
  return limits;
}

}  // namespace

ContainerLimits container_limits(const SystemRoot& root) {
  if (root.exists("/sys/fs/cgroup/cgroup.controllers") || root.exists("/sys/fs/cgroup/cpu.max") ||
      root.exists("/sys/fs/cgroup/memory.max")) {
    return version_2(root);
  }
  if (root.exists("/sys/fs/cgroup/memory") || root.exists("/sys/fs/cgroup/cpu")) {
    return version_1(root);
  }
  return {};
}

std::uint64_t available_memory_bytes(const SystemRoot& root) {
  std::uint64_t available = 0;
  const auto rows = root.table("/proc/meminfo");
  if (const auto found = rows.find("MemAvailable"); found != rows.end()) {
    available = std::strtoull(found->second.c_str(), nullptr, 10) * 1024;
  }
  if (const auto headroom = container_limits(root).memory_headroom_bytes) {
    available = std::min(available, *headroom);
  }
  return available;
}

}  // namespace hpclab::machine
