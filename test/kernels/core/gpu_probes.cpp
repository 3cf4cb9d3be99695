// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/gpu_probes.hpp"

#include "kernels/support.hpp"

#include <algorithm>

using namespace hpclab;
using namespace hpclab::cuda;

TEST_CASE("gpu probes: does each state without a device have its own finding and mend?") {
  const DriverState states[] = {classify_driver(35, 0, 13000, 0),
                                classify_driver(35, 12020, 13000, 0),
                                classify_driver(100, 13000, 13000, 0)};
  const char* conditions[] = {"no driver", "driver too old", "no device"};
  for (int i = 0; i < 3; ++i) {
    const Finding finding = driver_finding(states[i], {}, "");
    CHECK(finding.status == FindingStatus::missing);
    CHECK(finding.finding == states[i].reason);
    CHECK(finding.mend == states[i].mend);
    CHECK(finding.facts["condition"] == conditions[i]);
    CHECK_FALSE(finding.facts.contains("devices"));
    CHECK(why_no_device(states[i])->code() == ExitCode::unavailable);
  }
  CHECK(driver_finding(states[1], {}, "").facts["cuda_driver"] == "12.2");
  CHECK_FALSE(driver_finding(states[0], {}, "").facts.contains("cuda_driver"));
}

TEST_CASE("gpu probes: does the provenance keep name, driver and clocks of each device?") {
  DeviceReport report;
  report.facts.name = "NVIDIA H200";
  report.facts.compute_major = 9;
  report.facts.memory_bytes = 150'000'000'000;
  report.facts.multiprocessors = 132;
  report.facts.sm_clock_hz = 1.98e9;
  report.sm_clock_hz = 1.755e9;
  const Finding finding =
      driver_finding(classify_driver(0, 13000, 13000, 2), {report, report}, "580.65.06");
  CHECK(finding.status == FindingStatus::ok);
  CHECK(test::contains(finding.finding, "NVIDIA H200, 140 GiB, 132 multiprocessors"));
  CHECK(finding.facts["driver"] == "580.65.06");
  REQUIRE(finding.facts["devices"].size() == 2);
  const Json& device = finding.facts["devices"][1];
  CHECK(device["compute_capability"] == "9.0");
  CHECK(device["sm_clock_max_hz"] == 1.98e9);
  CHECK(device["sm_clock_hz"] == 1.755e9);
  CHECK_FALSE(device.contains("power_limit_w"));  // the sensor gave none
  CHECK_FALSE(device.contains("ecc"));
}

TEST_CASE("gpu probes: are both registered, and the driver's facts kept in every record?") {
  ProbeRegistry registry;
  register_gpu_probes(registry);
  const Json facts = provenance_facts(registry);
  CHECK(facts.contains("gpu-driver"));
  CHECK(facts["gpu-driver"].contains("condition"));
  CHECK_FALSE(facts.contains("gpu-counters"));
  const auto& probes = registry.probes();
  CHECK(std::count_if(probes.begin(), probes.end(),
                      [](const Probe& probe) { return probe.name == "gpu-counters"; }) == 1);
}

TEST_CASE("gpu probes: does a machine without counters say why and what would mend it?") {
  CounterState state;
  state.condition = CounterCondition::no_permission;
  state.reason = "refused";
  state.mend = "ask";
  state.chips = 30;
  const Finding finding = counter_finding(state);
  CHECK(finding.status == FindingStatus::missing);
  CHECK(finding.finding == "refused");
  CHECK(finding.mend == "ask");
  CHECK(finding.facts["available"] == false);
}
