// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/container_limits.hpp"

#include "support/catch.hpp"
#include "support/fixture_root.hpp"

using namespace hpclab::machine;
using hpclab::test::FixtureRoot;

TEST_CASE("container limits: is a version 2 quota of 150 % read, the tightest of all parents?") {
  FixtureRoot root;
  root.file("/proc/self/cgroup", "0::/slice/job\n")
      .file("/sys/fs/cgroup/cgroup.controllers", "cpu cpuset memory")
      .file("/sys/fs/cgroup/slice/cpu.max", "400000 100000\n")
      .file("/sys/fs/cgroup/slice/job/cpu.max", "150000 100000\n")
      .file("/sys/fs/cgroup/slice/job/cpu.stat", "usage_usec 5\nnr_throttled 42\n")
      .file("/sys/fs/cgroup/slice/job/cpuset.cpus.effective", "0-3\n")
      .file("/sys/fs/cgroup/slice/job/memory.max", "max\n");
  const ContainerLimits limits = container_limits(SystemRoot(root.path()));
  CHECK(limits.version == 2);
  CHECK(limits.cpu_quota == 1.5);
  CHECK(limits.throttled_periods == 42u);
  CHECK(limits.cpuset == "0-3");
  CHECK_FALSE(limits.memory_limit_bytes.has_value());
}

TEST_CASE("container limits: does a container with its own namespace read the mount point?") {
  FixtureRoot root;
  root.file("/proc/self/cgroup", "0::/docker/of-the-host\n")
      .file("/sys/fs/cgroup/cpu.max", "max 100000\n")
      .file("/sys/fs/cgroup/memory.max", "1073741824\n")
      .file("/sys/fs/cgroup/memory.current", "73741824\n");
  const ContainerLimits limits = container_limits(SystemRoot(root.path()));
  CHECK_FALSE(limits.cpu_quota.has_value());
  CHECK(limits.memory_limit_bytes == 1073741824u);
  CHECK(limits.memory_headroom_bytes == 1000000000u);
}

TEST_CASE("container limits: are version 1 controllers with joined names read?") {
  FixtureRoot root;
  root.file("/proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job\n3:cpuset:/\n")
      .file("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "200000\n")
      .file("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n")
      .file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
      .file("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2000000\n")
      .file("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "3000000\n")
      .file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
      .file("/sys/fs/cgroup/cpuset/cpuset.cpus", "0,2\n");
  const ContainerLimits limits = container_limits(SystemRoot(root.path()));
  CHECK(limits.version == 1);
  CHECK(limits.cpu_quota == 2.0);
  CHECK(limits.memory_limit_bytes == 2000000u);
  CHECK(limits.memory_headroom_bytes == 0u);
  CHECK(limits.cpuset == "0,2");
}

TEST_CASE("container limits: is a machine without control groups unlimited?") {
  FixtureRoot root;
  const ContainerLimits limits = container_limits(SystemRoot(root.path()));
  CHECK(limits.version == 0);
  CHECK_FALSE(limits.cpu_quota.has_value());
}
