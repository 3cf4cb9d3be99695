// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/gpu_probes.hpp"

#include "cuda/core/dynamic_library.hpp"
#include "cuda/core/sensors.hpp"

#include <fmt/format.h>

namespace hpclab::cuda {
namespace {

const char* name_of(DriverCondition condition) {
  switch (condition) {
    case DriverCondition::available:
      return "available";
    case DriverCondition::not_built:
      return "not built";
    case DriverCondition::no_driver:
      return "no driver";
    case DriverCondition::driver_too_old:
      return "driver too old";
    case DriverCondition::no_device:
      return "no device";
    case DriverCondition::failed:
      return "failed";
  }
  return "?";
}

std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Json facts_of(const DeviceReport& device) {
  const DeviceFacts& facts = device.facts;
  Json json = {
      {"name", facts.name},
      {"compute_capability", fmt::format("{}.{}", facts.compute_major, facts.compute_minor)},
      {"multiprocessors", facts.multiprocessors},
      {"memory_bytes", facts.memory_bytes},
      {"l2_bytes", facts.l2_bytes},
      {"sm_clock_max_hz", facts.sm_clock_hz},
      {"memory_clock_max_hz", facts.memory_clock_hz},
      {"memory_bus_bits", facts.memory_bus_bits}};
  if (facts.ecc >= 0) json["ecc"] = facts.ecc == 1;
  if (device.sm_clock_hz) json["sm_clock_hz"] = *device.sm_clock_hz;
  if (device.memory_clock_hz) json["memory_clock_hz"] = *device.memory_clock_hz;
  if (device.power_limit_w) json["power_limit_w"] = *device.power_limit_w;
  return json;
}

DeviceReport report_of_device(int ordinal, std::string& driver_release) {
  DeviceReport report;
  report.facts = facts_of_device(ordinal);
  try {
    const Sensors sensors(report.facts.pci_address);
    const SensorReading reading = sensors.read();
    report.sm_clock_hz = reading.sm_clock_hz;
    report.memory_clock_hz = reading.memory_clock_hz;
    report.power_limit_w = sensors.power_limit_w();
    driver_release = sensors.driver_version();
  } catch (const NotAvailable&) {  // a device without readable sensors is still a device
  }
  return report;
}

Finding look_at_driver() {
  const DriverState state = query_driver_state();
  std::vector<DeviceReport> devices;
  std::string driver_release;
  devices.reserve(static_cast<std::size_t>(state.devices));
  for (int ordinal = 0; ordinal < state.devices; ++ordinal)
    devices.push_back(report_of_device(ordinal, driver_release));
  return driver_finding(state, devices, driver_release);
}

}  // namespace

Finding driver_finding(const DriverState& state, const std::vector<DeviceReport>& devices,
                       const std::string& driver_release) {
  Finding finding;
  finding.facts = {{"condition", name_of(state.condition)}};
  if (state.runtime_version > 0)
    finding.facts["cuda_runtime"] = cuda_version(state.runtime_version);
  if (state.driver_version > 0) finding.facts["cuda_driver"] = cuda_version(state.driver_version);
  if (!driver_release.empty()) finding.facts["driver"] = driver_release;
  if (state.condition != DriverCondition::available) {
    finding.status = FindingStatus::missing;
    finding.finding = state.reason;
    finding.meaning =
        "the cuda backend is not available; kernels run in the emulator, without times";
    finding.mend = state.mend;
    return finding;
  }
  finding.facts["devices"] = Json::array();
  for (const DeviceReport& device : devices) {
    finding.facts["devices"].push_back(facts_of(device));
    finding.finding +=
        fmt::format("{}{}, {:.0f} GiB, {} multiprocessors", finding.finding.empty() ? "" : "; ",
                    device.facts.name, static_cast<double>(device.facts.memory_bytes) / (1 << 30),
                    device.facts.multiprocessors);
  }
  finding.finding +=
      fmt::format(" (driver {}CUDA {}, this program CUDA {})",
                  driver_release.empty() ? "" : driver_release + ", ",
                  cuda_version(state.driver_version), cuda_version(state.runtime_version));
  return finding;
}

Finding counter_finding(const CounterState& state) {
  Finding finding;
  finding.facts = {{"available", state.condition == CounterCondition::available},
                   {"chips", state.chips}};
  if (state.condition == CounterCondition::available) {
    finding.finding = fmt::format("CUPTI counts on this GPU and knows {} chips", state.chips);
    return finding;
  }
  finding.status = FindingStatus::missing;
  finding.finding = state.reason;
  finding.meaning =
      state.chips > 0
          ? "declared work of kernels is not checked against hardware counters; sets of "
            "metrics can still be configured"
          : "declared work of kernels is not checked against hardware counters";
  finding.mend = state.mend;
  return finding;
}

void register_gpu_probes(ProbeRegistry& registry) {
  registry.add({"gpu-driver", "gpu", true, look_at_driver});
  registry.add(
      {"gpu-counters", "gpu", false, [] { return counter_finding(query_counter_state()); }});
}

}  // namespace hpclab::cuda
