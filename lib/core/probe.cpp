// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/probe.hpp"

#include <algorithm>
#include <stdexcept>

namespace hpclab {

void ProbeRegistry::add(Probe probe) {
  const bool taken = std::any_of(probes_.begin(), probes_.end(),
                                 [&](const Probe& other) { return other.name == probe.name; });
  if (taken) throw std::logic_error("probe registered twice: " + probe.name);
  probes_.push_back(std::move(probe));
}

namespace {

Finding failed_probe(const std::string& why) {
  Finding finding;
  finding.status = FindingStatus::warning;
  finding.finding = "probe failed: " + why;
  finding.meaning = "nothing is known about this aspect of the machine";
  return finding;
}

}  // namespace

Finding look(const Probe& probe) {
  try {
    return probe.look();
  } catch (const std::exception& error) {
    return failed_probe(error.what());
  } catch (...) {
    return failed_probe("unknown exception");
  }
}

const char* name_of(FindingStatus status) {
  switch (status) {
    case FindingStatus::ok:
      return "ok";
    case FindingStatus::note:
      return "note";
    case FindingStatus::warning:
      return "warning";
    case FindingStatus::missing:
      return "missing";
  }
  return "unknown";
}

Json provenance_facts(const ProbeRegistry& registry) {
  Json facts = Json::object();
  for (const Probe& probe : registry.probes()) {
    if (probe.provenance) facts[probe.name] = look(probe).facts;
  }
  return facts;
}

}  // namespace hpclab
