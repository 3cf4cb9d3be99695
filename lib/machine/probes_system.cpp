// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Kernel, container limits, virtualisation, and the part of the environment that records may keep.
#include "machine/container_limits.hpp"
#include "machine/cpu_features.hpp"
#include "machine/probe_groups.hpp"
#include "machine/topology.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <sys/utsname.h>

namespace hpclab::machine {
namespace {

std::string without_quotes(std::string text) {
  std::erase(text, '"');
  return text;
}

Finding look_at_kernel(const SystemRoot& root) {
  Finding finding;
  utsname names{};
  uname(&names);
  std::string distribution;
  for (const char* file : {"/etc/os-release", "/usr/lib/os-release"}) {
    const std::string content = root.text(file).value_or("");
    const auto start = content.find("PRETTY_NAME=");
    if (start == std::string::npos) continue;
    const auto value = start + std::string("PRETTY_NAME=").size();
    distribution = without_quotes(content.substr(value, content.find('\n', value) - value));
    break;
  }
  finding.facts = {{"system", names.sysname},
                   {"release", names.release},
                   {"architecture", names.machine},
                   {"distribution", distribution}};
  finding.finding = fmt::format("{} {} {}{}{}", names.sysname, names.release, names.machine,
                                distribution.empty() ? "" : ", ", distribution);
  return finding;
}

Finding look_at_container(const SystemRoot& root, int allowed_units) {
  const ContainerLimits limits = container_limits(root);
  Finding finding;
  finding.facts = {{"control_groups", limits.version},
                   {"cpu_quota", limits.cpu_quota ? Json(*limits.cpu_quota) : Json(nullptr)},
                   {"cpuset", limits.cpuset ? Json(*limits.cpuset) : Json(nullptr)},
                   {"memory_limit_bytes",
                    limits.memory_limit_bytes ? Json(*limits.memory_limit_bytes) : Json(nullptr)},
                   {"throttled_periods",
                    limits.throttled_periods ? Json(*limits.throttled_periods) : Json(nullptr)}};
  finding.finding = fmt::format(
      "processor time {}, memory {}",
      limits.cpu_quota ? fmt::format("limited to {:.0f} %", *limits.cpu_quota * 100) : "unlimited",
      limits.memory_limit_bytes
          ? fmt::format("limited to {:.2f} GiB",
                        static_cast<double>(*limits.memory_limit_bytes) / 0x1p30)
          : "unlimited");
  if (limits.cpu_quota && *limits.cpu_quota < allowed_units) {
    finding.status = FindingStatus::warning;
    finding.meaning = fmt::format(
        "the scheduler stops this group within each period when more than {:.2g} threads run, "
        "which "
        "shows as long outliers",
        *limits.cpu_quota);
    finding.mend =
        "run without a CPU quota, with a cpuset instead, or with no more threads than that";
  }
  return finding;
}

Finding look_at_virtualisation() {
  const CpuIdentity& id = cpu_identity();
  Finding finding;
  finding.facts = {{"guest", id.hypervisor}, {"hypervisor", id.hypervisor_vendor}};
  finding.finding = id.hypervisor ? fmt::format("guest of {}", id.hypervisor_vendor.empty()
                                                                   ? "an unnamed hypervisor"
                                                                   : id.hypervisor_vendor)
                                  : "none seen";
  if (id.hypervisor) {
    finding.status = FindingStatus::note;
    finding.meaning =
        "other guests share caches, memory bandwidth and clock; cache sizes may be those "
        "of the whole host";
    finding.mend = "watch the steal probe, and prefer a dedicated host for absolute figures";
  }
  return finding;
}

/// The allow-list of the record schema: nothing else of the environment is ever kept.
bool may_be_recorded(std::string_view name) {
  constexpr std::string_view exact[] = {"SLURM_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_JOB_ID",
                                        "CUDA_VISIBLE_DEVICES"};
  return std::find(std::begin(exact), std::end(exact), name) != std::end(exact) ||
         name.starts_with("OMP_") || name.starts_with("NCCL_");
}

Finding look_at_environment(const std::vector<std::string>& environment) {
  Finding finding;
  std::string text;
  for (const std::string& entry : environment) {
    const auto equals = entry.find('=');
    if (equals == std::string::npos ||
        !may_be_recorded(std::string_view(entry).substr(0, equals))) {
      continue;
    }
    finding.facts[entry.substr(0, equals)] = entry.substr(equals + 1);
    text += (text.empty() ? "" : ", ") + entry;
  }
  finding.finding = text.empty() ? "no SLURM, CUDA_VISIBLE_DEVICES, OMP or NCCL variables" : text;
  return finding;
}

}  // namespace

std::vector<Probe> system_probes(const ProbeInputs& inputs) {
  const SystemRoot root = inputs.root;
  const auto allowed = [] { return static_cast<int>(discover_topology().processing_units.size()); };
  return {{"kernel", "system", true, [=] { return look_at_kernel(root); }},
          {"container", "system", true, [=] { return look_at_container(root, allowed()); }},
          {"virtualisation", "system", true, [] { return look_at_virtualisation(); }},
          {"environment", "system", true,
           [environment = inputs.environment] { return look_at_environment(environment); }}};
}

}  // namespace hpclab::machine
