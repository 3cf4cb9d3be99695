// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/context.hpp"
#include "core/error.hpp"
#include "machine/profile_search.hpp"
#include "roofline/ceilings/gpu_theory.hpp"
#include "roofline/ceilings/model.hpp"
#include "roofline/ceilings/theory.hpp"
#include "support/catch.hpp"

#include <filesystem>

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::roofline::ceilings;

namespace {

Result of_machine(const std::string& machine, const Parameters& p) {
  const std::filesystem::path shipped =
      std::filesystem::path(HPCLAB_SOURCE_DIR) / "configs" / "machines";
  Context context;
  context.machine_profile = std::make_shared<const machine::MachineProfile>(
      machine::find_profile(machine, {{}, shipped}));
  return model(p, context);
}

double bandwidth(const std::string& machine, MemoryLevel level, std::int64_t conflict = 1) {
  Parameters p;
  p.level = level;
  p.conflict = conflict;
  return *of_machine(machine, p).value("bandwidth_bytes_per_s");
}

double flops(const std::string& machine, PeakPrecision precision, MultiplyUnit unit) {
  Parameters p;
  p.quantity = Quantity::flops;
  p.precision = precision;
  p.unit = unit;
  return *of_machine(machine, p).value("flops_per_s");
}

// As their drivers state them.
cuda::DeviceFacts h200() {
  cuda::DeviceFacts facts;
  facts.compute_major = 9;
  facts.multiprocessors = 132;
  facts.sm_clock_hz = 1.98e9;
  facts.memory_clock_hz = 3.201e9;
  facts.memory_bus_bits = 6144;
  return facts;
}

}  // namespace

TEST_CASE("gpu model: are the H200's ceilings those of its data sheet?") {
  // 132 multiprocessors x 128 B x 1.98 GHz; data sheet: 4.8 TB/s, FP64 33.5 (34), tensor 67.
  CHECK(bandwidth("h200", MemoryLevel::shared) == Catch::Approx(33.45e12).epsilon(1e-3));
  CHECK(bandwidth("h200", MemoryLevel::shared, 32) == Catch::Approx(33.45e12 / 32).epsilon(1e-3));
  CHECK(bandwidth("h200", MemoryLevel::dram) == Catch::Approx(4.8e12).epsilon(1e-3));
  using enum PeakPrecision;
  CHECK(flops("h200", fp64, MultiplyUnit::vector) == Catch::Approx(33.5e12).epsilon(5e-3));
  CHECK(flops("h200", fp64, MultiplyUnit::tensor) == Catch::Approx(67e12).epsilon(5e-3));
  CHECK(flops("h200", fp32, MultiplyUnit::vector) == Catch::Approx(66.9e12).epsilon(5e-3));
  CHECK(flops("h200", fp8, MultiplyUnit::tensor) == Catch::Approx(1979e12).epsilon(1e-3));
  CHECK(flops("h200", int8, MultiplyUnit::tensor) == Catch::Approx(1979e12).epsilon(1e-3));
}

TEST_CASE("gpu model: is a measured rate taken, with its interval, where none is published?") {
  Parameters p;
  p.level = MemoryLevel::l2;
  const Result result = of_machine("h200", p);
  CHECK(*result.value("bandwidth_bytes_per_s") == Catch::Approx(9.836e12));
  CHECK(result.interval("bandwidth_bytes_per_s")->first == Catch::Approx(9.568e12));
}

TEST_CASE("gpu model: are the A100's ceilings those of its whitepaper?") {
  CHECK(bandwidth("a100-40gb", MemoryLevel::shared) == Catch::Approx(19.49e12).epsilon(1e-3));
  CHECK(bandwidth("a100-40gb", MemoryLevel::dram) == Catch::Approx(1.555e12).epsilon(1e-3));
  CHECK(bandwidth("a100-40gb", MemoryLevel::l2) == Catch::Approx(7.22e12).epsilon(1e-3));
  using enum PeakPrecision;
  CHECK(flops("a100-40gb", fp64, MultiplyUnit::vector) == Catch::Approx(9.7e12).epsilon(1e-3));
  CHECK(flops("a100-40gb", fp64, MultiplyUnit::tensor) == Catch::Approx(19.5e12).epsilon(1e-3));
  CHECK(flops("a100-40gb", tf32, MultiplyUnit::tensor) == Catch::Approx(156e12).epsilon(1e-3));
}

TEST_CASE("gpu model: do launches and links follow from the profile?") {
  Parameters p;
  p.quantity = Quantity::launch;
  CHECK(*of_machine("h200", p).value("launch_s") == Catch::Approx(2.43e-6));
  p.launch_by = LaunchBy::graph;
  CHECK(*of_machine("h200", p).value("launch_s") == Catch::Approx(1.22e-6));
  p.quantity = Quantity::link;
  CHECK(*of_machine("h200", p).value("bandwidth_bytes_per_s") ==
        Catch::Approx(63.0e9).epsilon(1e-3));
  p.direction = LinkDirection::both;
  CHECK(*of_machine("h200", p).value("bandwidth_bytes_per_s") ==
        Catch::Approx(126.0e9).epsilon(1e-3));
}

TEST_CASE("gpu model: is a figure that the profile lacks, or a GPU does not have, skipped?") {
  Parameters p;
  p.level = MemoryLevel::l3;
  CHECK_THROWS_AS(of_machine("h200", p), CaseSkipped);
  p.level = MemoryLevel::l2;  // no published rate of the H200's L2, and none measured of writes
  p.kind = "write";
  CHECK_THROWS_AS(of_machine("h200", p), CaseSkipped);
  p.level = MemoryLevel::shared;  // of a processor
  CHECK_THROWS_AS(of_machine("epyc-7742-2s", p), CaseSkipped);
}

TEST_CASE("gpu theory: do width and clock give the published peaks?") {
  using enum PeakPrecision;
  const double clock = 1.98e9;
  CHECK(*gpu_flops_per_s(h200(), fp32, MultiplyUnit::vector, clock) ==
        Catch::Approx(66.9e12).epsilon(1e-3));
  CHECK(*gpu_flops_per_s(h200(), fp64, MultiplyUnit::tensor, clock) ==
        Catch::Approx(66.9e12).epsilon(1e-3));
  // The data sheet's tensor rates are those at 1.83 GHz (configs/machines/h200.json).
  CHECK(*gpu_flops_per_s(h200(), bf16, MultiplyUnit::tensor, 1.83e9) ==
        Catch::Approx(989.5e12).epsilon(1e-3));
  CHECK(*gpu_bandwidth_bytes_per_s(h200(), MemoryLevel::shared, 1, clock) ==
        Catch::Approx(33.45e12).epsilon(1e-3));
  CHECK(*gpu_bandwidth_bytes_per_s(h200(), MemoryLevel::shared, 8, clock) ==
        Catch::Approx(33.45e12 / 8).epsilon(1e-3));
  CHECK(*gpu_bandwidth_bytes_per_s(h200(), MemoryLevel::dram, 1, clock) ==
        Catch::Approx(4.917e12).epsilon(1e-3));
  CHECK_FALSE(gpu_bandwidth_bytes_per_s(h200(), MemoryLevel::l2, 1, clock));
  cuda::DeviceFacts unknown = h200();
  unknown.compute_major = 42;
  CHECK_FALSE(gpu_flops_per_s(unknown, fp32, MultiplyUnit::vector, clock));
  // A100: 108 x 64 x 2 x 1.41 GHz and the fp16 rate four times fp32's.
  cuda::DeviceFacts a100;
  a100.compute_major = 8;
  a100.multiprocessors = 108;
  CHECK(*gpu_flops_per_s(a100, fp32, MultiplyUnit::vector, 1.41e9) ==
        Catch::Approx(19.5e12).epsilon(1e-2));
  CHECK(*gpu_flops_per_s(a100, fp16, MultiplyUnit::vector, 1.41e9) ==
        Catch::Approx(78e12).epsilon(1e-2));
  CHECK(*gpu_flops_per_s(a100, int8, MultiplyUnit::tensor, 1.41e9) ==
        Catch::Approx(624e12).epsilon(1e-2));
}

TEST_CASE("gpu theory: is a figure above it refused?") {
  CHECK_THROWS_AS(refuse_above_theory(70e12, 66.9e12, 1.98e9, "flops_per_s"), CaseFailed);
  CHECK_NOTHROW(refuse_above_theory(66e12, 66.9e12, 1.98e9, "flops_per_s"));
}
