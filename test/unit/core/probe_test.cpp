// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/probe.hpp"

#include "support/catch.hpp"
#include "support/demo_study.hpp"

#include <stdexcept>

using namespace hpclab;
using namespace hpclab::test;

namespace {

Probe probe_of(const std::string& name, bool provenance, const Json& facts) {
  return {name, "group", provenance, [facts] {
            Finding finding;
            finding.finding = "here";
            finding.facts = facts;
            return finding;
          }};
}

}  // namespace

TEST_CASE("probes: does a failing probe become a warning, never an error of the program?") {
  const Probe failing{"bad", "g", true, []() -> Finding { throw std::runtime_error("no /proc"); }};
  const Finding finding = look(failing);
  CHECK(finding.status == FindingStatus::warning);
  CHECK(finding.finding == "probe failed: no /proc");
  CHECK_FALSE(finding.meaning.empty());
  CHECK(finding.facts == Json::object());
  CHECK(look({"odd", "g", true, []() -> Finding { throw 3; }}).status == FindingStatus::warning);
  CHECK(look({"empty", "g", true, {}}).status == FindingStatus::warning);
}

TEST_CASE("probes: is a name taken once, and the order kept?") {
  ProbeRegistry registry;
  registry.add(probe_of("cpu", true, {{"cores", 2}}));
  registry.add(probe_of("memory", false, {{"bytes", 1}}));
  CHECK_THROWS_AS(registry.add(probe_of("cpu", false, {})), std::logic_error);
  REQUIRE(registry.probes().size() == 2);
  CHECK(registry.probes()[1].name == "memory");
  CHECK(look(registry.probes()[0]).finding == "here");
}

TEST_CASE("probes: do only the facts of marked probes enter provenance?") {
  ProbeRegistry registry;
  registry.add(probe_of("cpu", true, {{"cores", 2}}));
  registry.add(probe_of("private", false, {{"user", "me"}}));
  registry.add({"broken", "g", true, []() -> Finding { throw std::runtime_error("x"); }});
  CHECK(provenance_facts(registry) == Json{{"cpu", {{"cores", 2}}}, {"broken", Json::object()}});
  CHECK(provenance_facts(ProbeRegistry()) == Json::object());
}

TEST_CASE("probes: does every status have its word?") {
  CHECK(std::string(name_of(FindingStatus::ok)) == "ok");
  CHECK(std::string(name_of(FindingStatus::note)) == "note");
  CHECK(std::string(name_of(FindingStatus::warning)) == "warning");
  CHECK(std::string(name_of(FindingStatus::missing)) == "missing");
}
