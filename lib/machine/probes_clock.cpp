// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Clock control, clock source and hardware counters.
#include "machine/probe_groups.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hpclab::machine {
namespace {

/// Boost on or off, whichever driver says so; nullopt when none does.
std::optional<bool> boost(const SystemRoot& root) {
  if (const auto off = root.integer("/sys/devices/system/cpu/intel_pstate/no_turbo")) {
    return *off == 0;
  }
  if (const auto on = root.integer("/sys/devices/system/cpu/cpufreq/boost")) return *on == 1;
  return std::nullopt;
}

Finding look_at_governor(const SystemRoot& root) {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cpufreq/";
  const auto governor = root.text(folder + "scaling_governor");
  const std::string driver = root.text(folder + "scaling_driver").value_or("");
  const auto boosting = boost(root);
  Finding finding;
  finding.facts = {{"governor", governor ? Json(*governor) : Json(nullptr)},
                   {"driver", driver},
                   {"boost", boosting ? Json(*boosting) : Json(nullptr)}};
  const char* boost_text = !boosting ? "boost not shown" : *boosting ? "boost on" : "boost off";
  if (!governor) {
    finding.status = FindingStatus::note;
    finding.finding =
        fmt::format("clock control is not visible here (usual in a guest), {}", boost_text);
    finding.meaning =
        "the clock can change unseen; peaks are judged by the clock measured beside them";
    return finding;
  }
  finding.finding = fmt::format("governor {}, {}", *governor, boost_text);
  // With these drivers "powersave" is the ordinary demand-driven policy, which reaches full clock.
  const bool demand_driven = driver == "intel_pstate" || driver.starts_with("amd-pstate");
  if (*governor != "performance") {
    finding.status =
        *governor == "powersave" && demand_driven ? FindingStatus::note : FindingStatus::warning;
    finding.meaning =
        "the clock rises only after some milliseconds of load; short measurements are "
        "low and noisy";
    finding.mend = "cpupower frequency-set -g performance";
  } else if (boosting.value_or(false)) {
    finding.status = FindingStatus::note;
    finding.meaning =
        "the clock depends on load and temperature; compare rates at the measured clock";
  }
  return finding;
}

Finding look_at_clock_source(const SystemRoot& root) {
  Finding finding;
  const auto source = root.text("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  finding.facts = {{"clock_source", source ? Json(*source) : Json(nullptr)}};
  finding.finding = source.value_or("not shown by the system");
  if (source && *source != "tsc" && *source != "kvm-clock" && *source != "arch_sys_counter" &&
      *source != "hyperv_clocksource_tsc_page") {
    finding.status = FindingStatus::warning;
    finding.meaning = "reading this clock enters the kernel and takes about a microsecond";
    finding.mend = "boot with clocksource=tsc tsc=reliable if the processor's TSC is invariant";
  }
  return finding;
}

/// 0 when a cycle counter of this process can be opened and counts, else the error number.
int try_cycle_counter() {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long descriptor = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (descriptor < 0) return errno;
  const int file = static_cast<int>(descriptor);
  long long cycles = 0;
  const bool counted = read(file, &cycles, sizeof cycles) == sizeof cycles && cycles > 0;
  close(file);
  return counted ? 0 : ENOENT;
}

Finding look_at_counters(const SystemRoot& root) {
  Finding finding;
  const int error = try_cycle_counter();
  const auto paranoid = root.integer("/proc/sys/kernel/perf_event_paranoid");
  finding.facts = {{"available", error == 0},
                   {"perf_event_paranoid", paranoid ? Json(*paranoid) : Json(nullptr)}};
  if (error == 0) {
    finding.finding = "available";
    return finding;
  }
  finding.status = FindingStatus::note;
  finding.meaning =
      "work is taken from the kernels' own counts (flops and bytes), not from counters";
  if (error == EACCES || error == EPERM) {
    finding.finding = fmt::format("not permitted (perf_event_paranoid {})",
                                  paranoid ? std::to_string(*paranoid) : "unknown");
    finding.mend = "sysctl kernel.perf_event_paranoid=2, or allow perf_event_open in the container";
  } else {
    finding.finding = "not supported here (usual in a guest without a virtual PMU)";
    finding.mend = "run on the host, or give the guest a virtual PMU";
  }
  return finding;
}

}  // namespace

std::vector<Probe> clock_probes(const ProbeInputs& inputs) {
  const SystemRoot root = inputs.root;
  return {{"governor", "processor", true, [=] { return look_at_governor(root); }},
          {"clock-source", "processor", true, [=] { return look_at_clock_source(root); }},
          {"counters", "processor", false, [=] { return look_at_counters(root); }}};
}

}  // namespace hpclab::machine
