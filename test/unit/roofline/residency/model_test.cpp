// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/residency/model.hpp"

#include "core/error.hpp"
#include "machine/profile_search.hpp"
#include "roofline/residency/grid.hpp"
#include "support/catch.hpp"
#include "support/figures.hpp"
#include "support/text.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

using namespace hpclab;
using namespace hpclab::roofline::residency;
using hpclab::test::contains;
using hpclab::test::figure;

namespace {

machine::MachineProfile gpu() {
  machine::MachineProfile profile;
  profile.name = "round-gpu";
  profile.kind = machine::MachineKind::gpu;
  profile.set("dram", "copy_bytes_per_s", figure(200e9));
  profile.set("l2", "size_bytes", figure(1e6));
  profile.set("link", "pinned_host_to_device_bytes_per_s", figure(10e9));
  profile.set("link", "pinned_device_to_host_bytes_per_s", figure(20e9));
  return profile;
}

machine::MachineProfile cpu() {
  machine::MachineProfile profile;
  profile.name = "round-cpu";
  profile.kind = machine::MachineKind::cpu;
  profile.set("processor", "core_count", figure(4));
  profile.set("dram", "copy_bytes_per_s", figure(4e9));
  profile.set("dram", "core_copy_bytes_per_s", figure(2e9));
  profile.set("dram", "nontemporal_copy_bytes_per_s", figure(8e9));
  profile.set("l1", "size_bytes", figure(32e3));
  profile.set("l2", "size_bytes", figure(1e6));
  profile.set("l2", "core_read_bytes_per_s", figure(50e9));
  profile.set("l3", "size_bytes", figure(200e6));
  profile.set("l3", "read_bytes_per_s", figure(160e9));
  return profile;
}

// 1000^3 doubles: 8 GB an array.
Parameters large() {
  Parameters p;
  p.points = 1'000'000'000;
  p.threads = 4;
  return p;
}

StepPrediction step_of(const Parameters& p, const machine::MachineProfile& profile) {
  return predict_step(p, rates_of(p, profile));
}

std::string error_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("residency: is a grid the largest square or cube of so many points?") {
  CHECK(grid_of(Stencil::seven_point, 1 << 24).edge == 256);
  CHECK(grid_of(Stencil::seven_point, (1 << 24) - 1).edge == 255);
  CHECK(grid_of(Stencil::five_point, 1 << 24).edge == 4096);
  CHECK(grid_of(Stencil::five_point, 1).edge == 3);
  CHECK(grid_of(Stencil::seven_point, 27).points() == 27);
  CHECK(grid_of(Stencil::seven_point, 1'000'000'000).edge == 1000);
}

TEST_CASE("residency: does a sweep leave constant and linear fields as they are?") {
  // The sum of neighbours of a linear field is their number times the centre.
  for (const Stencil stencil : {Stencil::five_point, Stencil::seven_point}) {
    const Grid grid{stencil, 9};
    std::vector<double> field(grid.points());
    for (std::size_t i = 0; i < field.size(); ++i) {
      field[i] = 1 + 2.0 * static_cast<double>(i % 9) + 3.0 * static_cast<double>(i / 9 % 9) -
                 static_cast<double>(i / 81);
    }
    const std::vector<double> after = reference_sweep(grid, field);
    for (std::size_t i = 0; i < field.size(); ++i)
      CHECK(after[i] == Catch::Approx(field[i]).margin(1e-13));
    field.assign(field.size(), 2.5);
    field[field.size() / 2] = 3.5;  // spreads to its neighbours and keeps the rest
    const std::vector<double> spread = reference_sweep(grid, field);
    double sum = 0;
    for (const double x : spread) sum += x - 2.5;
    CHECK(sum == Catch::Approx(1));
    CHECK(spread[field.size() / 2] == Catch::Approx(2.9));
  }
}

TEST_CASE("residency: is the published factor of 41 of an L4 reproduced?") {
  // 1 + 2 x 260 / 13: two arrays copied both ways at each step, a kernel that moves two.
  const machine::MachineProfile l4 = machine::find_profile(
      "l4", {{}, std::filesystem::path(HPCLAB_SOURCE_DIR) / "configs" / "machines"});
  Parameters p;
  p.memory_bandwidth = 260e9;
  p.link_bandwidth = 13e9;
  const StepPrediction step = step_of(p, l4);
  CHECK(step.time_s.value / step.kernel_s.value == Catch::Approx(41));
  // The factor depends on neither size, type nor dimensions.
  p.points = 100'000'000;
  p.precision = Precision::fp32;
  p.stencil = Stencil::five_point;
  CHECK(step_of(p, l4).time_s.value / step_of(p, l4).kernel_s.value == Catch::Approx(41));
}

TEST_CASE("residency model: is each way what its bytes take?") {
  Parameters p = large();
  CHECK(step_of(p, gpu()).kernel_s.value == Catch::Approx(0.08));
  CHECK(step_of(p, gpu()).in_s.value == Catch::Approx(1.6));
  CHECK(step_of(p, gpu()).out_s.value == Catch::Approx(0.8));
  CHECK(step_of(p, gpu()).time_s.value == Catch::Approx(2.48));
  p.moved_arrays = 1;
  p.ways = Ways::in;
  CHECK(step_of(p, gpu()).time_s.value == Catch::Approx(0.88));
  p.ways = Ways::out;
  CHECK(step_of(p, gpu()).time_s.value == Catch::Approx(0.48));
  p.residency = Residency::resident;
  CHECK(step_of(p, gpu()).time_s.value == Catch::Approx(0.08));
  CHECK(traffic_of(p).in_bytes + traffic_of(p).out_bytes == 0);
}

TEST_CASE("residency model: do chunks hide all but the longest part and one chunk of the rest?") {
  Parameters p = large();
  p.chunks = 8;
  CHECK(step_of(p, gpu()).time_s.value == Catch::Approx(1.6 + (0.08 + 0.8) / 8));
  p.chunks = 1000;
  CHECK(step_of(p, gpu()).time_s.value == Catch::Approx(1.6).epsilon(0.001));
  p.host_memory = HostMemory::pageable;  // whose copies hold the thread that asks for them
  p.link_bandwidth = 10e9;
  CHECK(step_of(p, gpu()).time_s.value == Catch::Approx(0.08 + 1.6 + 1.6));
}

TEST_CASE("residency model: is a move between processes a copy, from ordinary memory two?") {
  Parameters p = large();
  CHECK(step_of(p, cpu()).in_s.value == Catch::Approx(2 * 16.0 / 8));
  p.host_memory = HostMemory::pageable;
  CHECK(step_of(p, cpu()).in_s.value == Catch::Approx(4 * 16.0 / 8));
  // Shared memory is in small pages; what a profile says about those goes first.
  CHECK(contains(rates_of(p, cpu()).note, "small_page"));
  machine::MachineProfile small = cpu();
  small.set("dram", "small_page_copy_bytes_per_s", figure(3e9));
  small.set("dram", "small_page_nontemporal_copy_bytes_per_s", figure(4e9));
  CHECK(step_of(p, small).in_s.value == Catch::Approx(4 * 16.0 / 4));
  CHECK(rates_of(p, small).note.empty());
}

TEST_CASE("residency model: do the planes before and after come from the cache that holds them?") {
  Parameters p = large();  // four planes of 8 MB a thread: in L3 with four threads
  CHECK(step_of(p, cpu()).kernel_s.value == Catch::Approx(16.0 / 4 + 16.0 / 160));
  p.threads = 1;
  CHECK(step_of(p, cpu()).kernel_s.value == Catch::Approx(16.0 / 2 + 16.0 / 40));
  p.threads = 4;
  p.points = 8'000'000'000;  // four of 32 MB are too much
  CHECK(step_of(p, cpu()).kernel_s.value == Catch::Approx(2 * 128.0 / 4));
  p.stencil = Stencil::five_point;
  p.points = 400'000'000;  // rows of 160 KB in L2
  CHECK(step_of(p, cpu()).kernel_s.value == Catch::Approx(6.4 / 4 + 6.4 / 200));
  p.precision = Precision::fp32;
  p.points = 1'000'000;
  machine::MachineProfile tiny = cpu();
  tiny.set("l3", "size_bytes", figure(1e6));  // rows of 4 KB in L1
  CHECK(step_of(p, tiny).kernel_s.value == Catch::Approx(8e6 / 4e9));
}

TEST_CASE(
    "residency model: does it refuse what its figures do not cover, and name what is missing?") {
  Parameters p = large();
  p.host_memory = HostMemory::pageable;
  CHECK(contains(error_of([&] { rates_of(p, gpu()); }), "pageable_host_to_device_bytes_per_s"));
  p.host_memory = HostMemory::pinned;
  machine::MachineProfile bare = cpu();
  bare.kind = machine::MachineKind::gpu;
  CHECK(contains(error_of([&] { rates_of(p, bare); }), "pinned_host_to_device_bytes_per_s"));
  p.points = 27;
  CHECK(contains(error_of([&] { rates_of(p, gpu()); }), "in the l2 of round-gpu"));
  CHECK(contains(error_of([&] { rates_of(p, cpu()); }), "in the l3 of round-cpu"));
  p = large();
  p.chunks = 2;
  CHECK_THROWS_AS(rates_of(p, cpu()), CaseSkipped);
  p.chunks = 1;
  p.host_memory = HostMemory::managed;
  CHECK_THROWS_AS(rates_of(p, cpu()), CaseSkipped);
  CHECK(contains(rates_of(p, gpu()).note, "faults"));
}
