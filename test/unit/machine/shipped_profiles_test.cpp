// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The files of configs/machines against closed forms and published figures.
#include "machine/profile.hpp"
#include "machine/profile_search.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace hpclab::machine;

namespace {

const ProfileFolders shipped{{}, HPCLAB_SOURCE_DIR "/configs/machines"};

double figure(const std::string& machine, const char* group, const char* name) {
  return find_profile(machine, shipped).require(group, name);
}

}  // namespace

TEST_CASE("shipped profiles: are all sixteen there and does each load under its own name?") {
  const std::vector<std::string> names = profile_names(shipped);
  for (const char* expected : {"a100-40gb", "a100-80gb", "b200", "epyc-7742-2s", "h100-pcie",
                               "h100-sxm", "h200", "l4", "l40s", "mi300x", "rtx-3090", "rtx-4090",
                               "rtx-5090", "rtx-pro-6000", "t4", "xeon-8168-2s"}) {
    CHECK(std::find(names.begin(), names.end(), expected) != names.end());
  }
  for (const std::string& name : names) {
    const MachineProfile profile = find_profile(name, shipped);
    CHECK(profile.name == name);
    CHECK(profile.sha256.size() == 64);
    for (const auto& [group, figures] : profile.figures()) {
      for (const auto& [figure_name, entry] : figures) CHECK_FALSE(entry.source.empty());
    }
    CHECK_FALSE(profile.description.empty());
    // What every model of data movement and arithmetic starts from.
    CHECK(profile.require("dram", "theoretical_bytes_per_s") > 0);
    CHECK(profile.require("peak", "fp64_vector_flops_per_s") > 0);
    CHECK(profile.require("peak", "fp32_vector_flops_per_s") > 0);
  }
}

TEST_CASE("shipped profiles: is no measured bandwidth above the theoretical one?") {
  for (const std::string& name : profile_names(shipped)) {
    const MachineProfile profile = find_profile(name, shipped);
    for (const char* group : {"dram", "l3", "l2", "l1", "shared"}) {
      const Figure* limit = profile.find(group, "theoretical_bytes_per_s");
      const auto level = profile.figures().find(group);
      if (!limit || level == profile.figures().end()) continue;
      for (const auto& [figure_name, entry] : level->second) {
        if (!figure_name.ends_with("_bytes_per_s") || figure_name == "theoretical_bytes_per_s") {
          continue;
        }
        INFO(name << " " << group << " " << figure_name);
        CHECK(entry.value <= limit->value);
      }
    }
  }
}

TEST_CASE("shipped profiles: does shared memory equal multiprocessors x 128 B x clock?") {
  CHECK(figure("h200", "shared", "theoretical_bytes_per_s") ==
        Catch::Approx(132 * 128 * 1.98e9).epsilon(1e-12));
  CHECK(figure("h200", "shared", "theoretical_bytes_per_s") ==
        Catch::Approx(33.45e12).epsilon(1e-3));
  CHECK(figure("a100-40gb", "shared", "theoretical_bytes_per_s") ==
        Catch::Approx(19.49e12).epsilon(1e-3));
  for (const char* name : {"a100-40gb", "a100-80gb", "h100-pcie", "h100-sxm", "h200", "l4", "l40s",
                           "rtx-3090", "rtx-4090", "rtx-5090", "mi300x"}) {
    const MachineProfile profile = find_profile(name, shipped);
    CHECK(profile.require("shared", "theoretical_bytes_per_s") ==
          Catch::Approx(profile.require("processor", "sm_count") * 128 *
                        profile.require("clock", "boost_hz"))
              .epsilon(1e-9));
  }
}

TEST_CASE(
    "shipped profiles: do published FP32 peaks follow from cores and clock within rounding?") {
  // FP32 lanes of a multiprocessor: 64 on GA100 and TU104, 128 on later chips; 256 FLOP/cycle on
  // CDNA 3.
  const std::vector<std::pair<std::string, double>> lanes{
      {"a100-40gb", 64}, {"t4", 64},        {"h100-sxm", 128}, {"h200", 128},     {"l40s", 128},
      {"l4", 128},       {"rtx-3090", 128}, {"rtx-4090", 128}, {"rtx-5090", 128}, {"mi300x", 128}};
  for (const auto& [name, count] : lanes) {
    INFO(name);
    const MachineProfile profile = find_profile(name, shipped);
    CHECK(profile.require("peak", "fp32_vector_flops_per_s") ==
          Catch::Approx(profile.require("processor", "sm_count") * count * 2 *
                        profile.require("clock", "boost_hz"))
              .epsilon(0.006));
  }
}

TEST_CASE("shipped profiles: are the FP64 ridge points 6.2 and 7.0 flop per byte?") {
  const auto ridge = [](const char* name) {
    return figure(name, "peak", "fp64_vector_flops_per_s") /
           figure(name, "dram", "theoretical_bytes_per_s");
  };
  CHECK(ridge("a100-40gb") == Catch::Approx(6.24).epsilon(0.01));
  CHECK(ridge("h200") == Catch::Approx(6.97).epsilon(0.01));
  CHECK(ridge("xeon-8168-2s") == Catch::Approx(3840. / 255.9).epsilon(0.01));
}

TEST_CASE("shipped profiles: do measured plateaus agree with the public logs?") {
  CHECK(figure("h200", "dram", "read_bytes_per_s") == Catch::Approx(3.888e12).epsilon(0.001));
  CHECK(figure("h200", "dram", "triad_bytes_per_s") == 3.534e12);
  CHECK(figure("a100-80gb", "l1", "read_bytes_per_s") /
            figure("a100-80gb", "l1", "theoretical_bytes_per_s") ==
        Catch::Approx(0.98).epsilon(0.005));
  CHECK(figure("a100-80gb", "dram", "latency_s") == Catch::Approx(404e-9).epsilon(0.01));
  CHECK(figure("h100-pcie", "dram", "latency_s") == Catch::Approx(370e-9).epsilon(0.02));
  CHECK(figure("xeon-8168-2s", "dram", "read_bytes_per_s") == 220e9);
  const auto interval = find_profile("h200", shipped).interval95("l2", "read_bytes_per_s");
  CHECK(interval[0] < interval[1]);
}

TEST_CASE("shipped profiles: does a read saturate DRAM only with enough bytes in flight?") {
  // Little's law on the A100 80 GB: bandwidth x latency, per multiprocessor below its registers.
  const double in_flight =
      figure("a100-80gb", "dram", "read_bytes_per_s") * figure("a100-80gb", "dram", "latency_s");
  CHECK(in_flight == Catch::Approx(0.706e6).epsilon(0.02));
  CHECK(in_flight / 108 < figure("a100-80gb", "concurrency", "registers_per_sm_bytes"));
}
