// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What else uses the machine: load average and time stolen by the hypervisor.
#include "machine/probe_groups.hpp"
#include "machine/topology.hpp"

#include <sstream>

#include <fmt/format.h>

namespace hpclab::machine {
namespace {

Finding look_at_load(const SystemRoot& root, int units) {
  Finding finding;
  std::istringstream words(root.text("/proc/loadavg").value_or(""));
  double one = 0, five = 0, fifteen = 0;
  if (!(words >> one >> five >> fifteen)) {
    finding.finding = "not shown by the system";
    return finding;
  }
  finding.facts = {{"load_1min", one}, {"load_5min", five}, {"load_15min", fifteen}};
  finding.finding =
      fmt::format("{:.2f}, {:.2f}, {:.2f} on {} processing units", one, five, fifteen, units);
  if (one > 0.5 * units) {
    finding.status = FindingStatus::warning;
    finding.meaning = "other programs compete for processors, caches and memory bandwidth";
    finding.mend = "wait for them to end, or measure on another machine";
  } else if (one > 0.1 * units) {
    finding.status = FindingStatus::note;
    finding.meaning = "some other work is running; look at the noise flags of the records";
  }
  return finding;
}

Finding look_at_steal(const SystemRoot& root) {
  Finding finding;
  std::istringstream words(root.text("/proc/stat").value_or(""));
  std::string label;
  double total = 0, steal = 0, ticks = 0;
  words >> label;
  // user nice system idle iowait irq softirq steal; guest time is already part of user
  for (int column = 0; column < 8 && words >> ticks; ++column) {
    total += ticks;
    if (column == 7) steal = ticks;
  }
  if (label != "cpu" || total <= 0) {
    finding.finding = "not shown by the system";
    return finding;
  }
  const double share = steal / total;
  finding.facts = {{"steal_ratio_since_boot", share}};
  finding.finding =
      fmt::format("{:.2f} % of the time since boot was given to other guests", share * 100);
  if (share > 0.005) {
    finding.status = FindingStatus::warning;
    finding.meaning = "the host is shared and busy; single samples can be off by milliseconds";
    finding.mend = "ask for a dedicated host; take medians of many samples until then";
  } else if (steal > 0) {
    finding.status = FindingStatus::note;
    finding.meaning = "the host is shared; records flag samples during which time was stolen";
  }
  return finding;
}

}  // namespace

std::vector<Probe> load_probes(const ProbeInputs& inputs) {
  const SystemRoot root = inputs.root;
  const auto units = [] { return static_cast<int>(discover_topology().processing_units.size()); };
  return {{"load", "system", true, [=] { return look_at_load(root, units()); }},
          {"steal", "system", false, [=] { return look_at_steal(root); }}};
}

}  // namespace hpclab::machine
