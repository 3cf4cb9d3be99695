// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/probes.hpp"

#include "support/catch.hpp"
#include "support/fixture_root.hpp"

#include <set>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

using namespace hpclab;
using namespace hpclab::machine;
using hpclab::test::FixtureRoot;

namespace {

/// Finding of one probe on a fixture tree with this environment.
Finding finding(const std::string& name, const FixtureRoot& root,
                std::vector<std::string> environment = {}) {
  ProbeInputs inputs;
  inputs.root = SystemRoot(root.path());
  inputs.environment = std::move(environment);
  inputs.program_folders = {root.path() / "bin"};
  ProbeRegistry registry;
  register_probes(registry, inputs);
  for (const Probe& probe : registry.probes()) {
    if (probe.name == name) return look(probe);
  }
  FAIL("no probe named " << name);
  return {};
}

void add_program(FixtureRoot& root, const std::string& name, const std::string& prints) {
  root.file("bin/" + name, "#!/bin/sh\necho '" + prints + "'\n");
  chmod((root.path() / "bin" / name).c_str(), 0755);
}

const std::string cpufreq = "/sys/devices/system/cpu/cpu0/cpufreq/";
const std::string huge = "/sys/kernel/mm/transparent_hugepage/";

}  // namespace

TEST_CASE("probes: does every probe of this host answer without failing, with a finding?") {
  ProbeRegistry registry;
  register_probes(registry);
  CHECK(registry.probes().size() == 25);
  std::set<std::string> provenance;
  for (const Probe& probe : registry.probes()) {
    INFO(probe.name);
    const Finding found = look(probe);
    CHECK_FALSE(found.finding.empty());
    CHECK(found.finding.rfind("probe failed", 0) != 0);
    if (found.status == FindingStatus::missing || found.status == FindingStatus::warning) {
      CHECK_FALSE(found.meaning.empty());
      CHECK_FALSE(found.mend.empty());
    }
    if (probe.provenance) provenance.insert(probe.name);
  }
  for (const char* name : {"cpu", "caches", "memory", "kernel", "container", "clock-source",
                           "governor", "environment", "load"}) {
    CHECK(provenance.count(name) == 1);
  }
  for (const char* name : {"compilers", "mpi", "likwid"}) CHECK(provenance.count(name) == 0);
}

TEST_CASE("probes: does an empty root produce findings, not errors?") {
  const FixtureRoot root;
  for (const char* name : {"governor", "clock-source", "smt", "aslr", "huge-pages", "container",
                           "load", "steal", "memory", "kernel"}) {
    INFO(name);
    CHECK(finding(name, root).finding.rfind("probe failed", 0) != 0);
  }
}

TEST_CASE("probes: is a slow governor a warning and the demand-driven powersave a note?") {
  FixtureRoot root;
  root.file(cpufreq + "scaling_governor", "powersave\n")
      .file(cpufreq + "scaling_driver", "acpi-cpufreq\n");
  CHECK(finding("governor", root).status == FindingStatus::warning);
  CHECK(finding("governor", root).mend.find("performance") != std::string::npos);
  root.file(cpufreq + "scaling_driver", "intel_pstate\n")
      .file("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  CHECK(finding("governor", root).status == FindingStatus::note);
  CHECK(finding("governor", root).facts["boost"] == true);
  root.file(cpufreq + "scaling_governor", "performance\n")
      .file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  const Finding fixed = finding("governor", root);
  CHECK(fixed.status == FindingStatus::ok);
  CHECK(fixed.facts["boost"] == false);
  CHECK(fixed.facts["governor"] == "performance");
}

TEST_CASE("probes: is boost of acpi-cpufreq read, and its absence in guests a note?") {
  FixtureRoot root;
  CHECK(finding("governor", root).status == FindingStatus::note);
  CHECK(finding("governor", root).facts["boost"].is_null());
  root.file(cpufreq + "scaling_governor", "performance\n")
      .file("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  CHECK(finding("governor", root).facts["boost"] == true);
}

TEST_CASE("probes: is a processor quota of 150 % a warning where more units are allowed?") {
  FixtureRoot root;
  root.file("/proc/self/cgroup", "0::/\n").file("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  const Finding half = finding("container", root);
  CHECK(half.status == FindingStatus::warning);  // any machine has at least one unit
  CHECK(half.facts["cpu_quota"] == 0.5);
  CHECK(half.finding.find("50 %") != std::string::npos);
  root.file("/sys/fs/cgroup/cpu.max", "max 100000\n")
      .file("/sys/fs/cgroup/memory.max", "2147483648\n");
  const Finding memory_only = finding("container", root);
  CHECK(memory_only.status == FindingStatus::ok);
  CHECK(memory_only.finding.find("2.00 GiB") != std::string::npos);
}

TEST_CASE("probes: are transparent huge pages never, madvise and always told apart?") {
  FixtureRoot root;
  root.file(huge + "enabled", "always madvise [never]\n");
  const Finding never = finding("huge-pages", root);
  CHECK(never.status == FindingStatus::warning);
  CHECK(never.facts["transparent"] == "never");
  root.file(huge + "enabled", "always [madvise] never\n")
      .file("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "16\n");
  CHECK(finding("huge-pages", root).status == FindingStatus::ok);
  CHECK(finding("huge-pages", root).facts["reserved_2mib_pages"] == 16);
}

TEST_CASE("probes: is stolen time computed from the eighth column of /proc/stat?") {
  FixtureRoot root;
  root.file("/proc/stat", "cpu  500 0 300 150 0 0 0 50 77 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
  const Finding busy = finding("steal", root);
  CHECK(busy.status == FindingStatus::warning);
  CHECK(busy.facts["steal_ratio_since_boot"] == Catch::Approx(0.05));
  root.file("/proc/stat", "cpu  500 0 300 200 0 0 0 0 0 0\n");
  CHECK(finding("steal", root).status == FindingStatus::ok);
}

TEST_CASE("probes: is a load above half the units a warning?") {
  FixtureRoot root;
  root.file("/proc/loadavg", "100000.00 2.00 1.00 1/100 4242\n");
  CHECK(finding("load", root).status == FindingStatus::warning);
  root.file("/proc/loadavg", "0.00 0.00 0.00 1/100 4242\n");
  CHECK(finding("load", root).status == FindingStatus::ok);
  CHECK(finding("load", root).facts["load_1min"] == 0.0);
}

TEST_CASE("probes: does little memory warn, and is hpet a slow clock?") {
  FixtureRoot root;
  root.file("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 50000 kB\n");
  CHECK(finding("memory", root).status == FindingStatus::warning);
  root.file("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n");
  CHECK(finding("memory", root).status == FindingStatus::ok);
  CHECK(finding("memory", root).facts["total_bytes"] == 1024000000);
  const std::string source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  root.file(source, "hpet\n");
  CHECK(finding("clock-source", root).status == FindingStatus::warning);
  root.file(source, "tsc\n");
  CHECK(finding("clock-source", root).status == FindingStatus::ok);
}

TEST_CASE("probes: are only allowed environment variables ever kept?") {
  const FixtureRoot root;
  const Finding found = finding(
      "environment", root,
      {"SECRET_TOKEN=x", "OMP_NUM_THREADS=4", "NCCL_DEBUG=INFO", "SLURM_JOB_ID=17", "HOME=/h",
       "SLURM_JOB_USER=me", "CUDA_VISIBLE_DEVICES=0,1", "MY_OMP_X=1", "NOT_A_PAIR"});
  CHECK(found.facts.size() == 4);
  CHECK(found.facts["OMP_NUM_THREADS"] == "4");
  CHECK(found.facts["NCCL_DEBUG"] == "INFO");
  CHECK(found.facts["SLURM_JOB_ID"] == "17");
  CHECK(found.facts["CUDA_VISIBLE_DEVICES"] == "0,1");
  CHECK(found.finding.find("SECRET") == std::string::npos);
}

TEST_CASE("probes: are tool versions read from what the tools print?") {
  FixtureRoot root;
  add_program(root, "g++", "g++ (Debian 12.2.0-14) 12.2.1");
  add_program(root, "nvcc",
              "Copyright (c) 2005-2025\nCuda compilation tools, release 13.0, V13.0.88");
  add_program(root, "mpirun", "mpirun (Open MPI) 4.1.4");
  add_program(root, "cmake", "cmake version 3.25.1");
  const Finding compilers = finding("compilers", root);
  CHECK(compilers.status == FindingStatus::ok);
  CHECK(compilers.facts["g++"] == "12.2.1");
  CHECK(compilers.facts["nvcc"] == "13.0");
  CHECK(finding("mpi", root).facts["flavour"] == "Open MPI");
  CHECK(finding("mpi", root).facts["version"] == "4.1.4");
  CHECK(finding("cmake", root).facts["version"] == "3.25.1");
  CHECK(finding("nsys", root).status == FindingStatus::missing);
  CHECK(finding("likwid", root).status == FindingStatus::missing);
}

TEST_CASE("probes: is NCCL found by its library file?") {
  FixtureRoot root;
  CHECK(finding("nccl", root).status == FindingStatus::missing);
  root.file("/usr/lib/libnccl.so.2.18.3", "");
  std::filesystem::create_symlink("libnccl.so.2.18.3", root.path() / "usr/lib/libnccl.so.2");
  CHECK(finding("nccl", root).facts["version"] == "2.18.3");
}

TEST_CASE("probes: is a plotting Python found by its packages, HPCLAB_PYTHON first?") {
  FixtureRoot root;
  root.file("venv/bin/python3", "").file("venv/lib/python3.11/site-packages/matplotlib/x", "");
  const std::string python = (root.path() / "venv/bin/python3").string();
  const Finding found = finding("plotting", root, {"HPCLAB_PYTHON=" + python});
  CHECK(found.status == FindingStatus::ok);
  CHECK(found.finding == python);
}
