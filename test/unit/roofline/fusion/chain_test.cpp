// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/fusion/chain.hpp"

#include "core/error.hpp"
#include "machine/profile_search.hpp"
#include "roofline/fusion/model.hpp"
#include "support/catch.hpp"
#include "support/figures.hpp"
#include "support/text.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

using namespace hpclab;
using namespace hpclab::roofline::fusion;
using hpclab::test::contains;
using hpclab::test::figure;

namespace {

// Round figures: DRAM moves 1 GB/s in a copy, L2 10 GB/s, a core multiplies and adds at 2 Gflop/s.
machine::MachineProfile gpu() {
  machine::MachineProfile profile;
  profile.name = "round-gpu";
  profile.kind = machine::MachineKind::gpu;
  profile.set("dram", "copy_bytes_per_s", figure(1e9));
  profile.set("l2", "copy_bytes_per_s", figure(1e10));
  profile.set("l2", "size_bytes", figure(1e6));
  profile.set("peak", "fp64_vector_flops_per_s", figure(2e9));
  profile.set("launch", "kernel_s", figure(1e-3));
  profile.set("launch", "graph_kernel_s", figure(1e-4));
  return profile;
}

machine::MachineProfile cpu() {
  machine::MachineProfile profile;
  profile.name = "round-cpu";
  profile.kind = machine::MachineKind::cpu;
  profile.set("processor", "core_count", figure(4));
  profile.set("dram", "copy_bytes_per_s", figure(4e9));
  profile.set("dram", "core_copy_bytes_per_s", figure(2e9));
  profile.set("dram", "nontemporal_copy_bytes_per_s", figure(6e9));
  profile.set("dram", "core_nontemporal_copy_bytes_per_s", figure(5e9));
  profile.set("l1", "size_bytes", figure(32768));
  profile.set("l1", "copy_bytes_per_s", figure(400e9));
  profile.set("l2", "size_bytes", figure(1e6));
  profile.set("l2", "copy_bytes_per_s", figure(200e9));
  profile.set("l2", "core_copy_bytes_per_s", figure(60e9));
  profile.set("l3", "size_bytes", figure(16e6));
  profile.set("l3", "copy_bytes_per_s", figure(100e9));
  profile.set("peak", "fp64_avx2_flops_per_s", figure(160e9));
  profile.set("peak", "core_fp64_avx2_flops_per_s", figure(40e9));
  profile.set("launch", "kernel_s", figure(1e-5));
  return profile;
}

Parameters large(std::int64_t operations) {
  Parameters p;
  p.operations = operations;
  p.elements = 125'000'000;  // 1 GB an array
  p.isa = "avx2";
  p.threads = 4;
  return p;
}

double arrays(const ArrayTraffic& traffic) {
  return traffic.read + traffic.written;
}

double time_of(const Parameters& p, const machine::MachineProfile& profile) {
  return predict(p, chain_shape(p), profile).time_s.value;
}

std::string error_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

Context context_with(const machine::MachineProfile& profile) {
  Context context;
  context.machine_profile = std::make_shared<const machine::MachineProfile>(profile);
  return context;
}

}  // namespace

TEST_CASE("fusion: does an unfused chain move the sum of inputs + 1 arrays, a fused one 2?") {
  for (const int k : {1, 2, 7, 64}) {
    INFO(k << " operations");
    const ChainShape one{k, Inputs::one, 0, 1};
    CHECK(arrays(traffic_of(passes_of(one))) == 2 * k);
    CHECK(arrays(outside_traffic(one)) == 2);
    // With an array of their own as second input every operation reads two and writes one.
    const ChainShape two{k, Inputs::two, 1, 1};
    CHECK(arrays(traffic_of(passes_of(two))) == 3 * k);
    CHECK(arrays(outside_traffic(two)) == 3);
    // The chain's input as second input is the first operation's only array.
    const ChainShape own{k, Inputs::two, 0, 1};
    CHECK(arrays(traffic_of(passes_of(own))) == 3 * k - 1);
    CHECK(arrays(outside_traffic(own)) == 2);
  }
  CHECK(arrays(outside_traffic({6, Inputs::two, 8, 6})) == 8);    // 6 of the 8 are used
  CHECK(arrays(outside_traffic({6, Inputs::mixed, 8, 6})) == 5);  // every second operation
}

TEST_CASE("fusion: do passes cover every operation once, in order?") {
  for (const int k : {1, 5, 16, 128}) {
    for (const int group : {1, 2, 3, 16, 128}) {
      int next = 0;
      for (const Pass& pass : passes_of({k, Inputs::mixed, 3, group})) {
        CHECK(pass.first == next);
        CHECK(pass.count >= 1);
        CHECK(pass.count <= group);
        next += pass.count;
      }
      CHECK(next == k);
    }
  }
}

TEST_CASE("fusion: does a group of g move a g-th of what the unfused chain moves?") {
  const ChainShape unfused{12, Inputs::one, 0, 1};
  const ChainShape groups{12, Inputs::one, 0, 4};
  CHECK(arrays(traffic_of(passes_of(unfused))) == 4 * arrays(traffic_of(passes_of(groups))));
  // A group reads an operand array once, however often it needs it.
  CHECK(arrays(traffic_of(passes_of({8, Inputs::two, 1, 4}))) == 6);
  CHECK(arrays(traffic_of(passes_of({8, Inputs::two, 2, 4}))) == 8);
}

TEST_CASE("fusion: does a speed-up of 33.9 imply 34 one-input or 23 two-input operations?") {
  // The published figure: 33.9 times by fusing; large arrays on an A100.
  const machine::MachineProfile profile = machine::find_profile(
      "a100-40gb", {{}, std::filesystem::path(HPCLAB_SOURCE_DIR) / "configs" / "machines"});
  Parameters p = large(1);
  CHECK(implied_operations(p, 33.9, profile) == Catch::Approx(33.9).epsilon(0.01));
  p.inputs = Inputs::two;
  CHECK(implied_operations(p, 33.9, profile) == Catch::Approx(23).epsilon(0.01));
  p.operand_arrays = 1;  // the fused chain then reads two arrays: 3 k over 3
  CHECK(implied_operations(p, 33.9, profile) == Catch::Approx(33.9).epsilon(0.01));
  CHECK(contains(error_of([&] { implied_operations(p, 1e5, profile); }), "bound by arithmetic"));
}

TEST_CASE("fusion model: is the time of a GPU bytes, flops and launches?") {
  Parameters p = large(4);
  p.fusion = Fusion::unfused;
  CHECK(time_of(p, gpu()) == Catch::Approx(4 * 2.0 + 4e-3));
  p.fusion = Fusion::fused;
  CHECK(time_of(p, gpu()) == Catch::Approx(2.0 + 1e-3));
  p.launch_by = LaunchBy::graph;
  CHECK(time_of(p, gpu()) == Catch::Approx(2.0 + 1e-4));
  p.operations = 32;  // 8 Gflop
  CHECK(time_of(p, gpu()) == Catch::Approx(4.0 + 1e-4));
  CHECK(crossover_operations(p, gpu()) == Catch::Approx(16));
  p.elements = 12'500;  // two arrays of 0.1 MB: in L2, and the launch costs more than all else
  CHECK(time_of(p, gpu()) == Catch::Approx(32 * 12500.0 / 1e9 + 1e-4));
  p.operations = 1;
  CHECK(time_of(p, gpu()) == Catch::Approx(2e5 / 1e10 + 1e-4));
}

TEST_CASE("fusion model: do stores around the caches save what write-allocate reads?") {
  Parameters p = large(1);
  p.stores = Stores::plain;
  const Prediction plain = predict(p, chain_shape(p), cpu());
  CHECK(plain.time_s.value == Catch::Approx(0.5 + 1e-5));  // as the profile's copy
  CHECK(plain.dram_bytes == Catch::Approx(3e9));
  p.stores = Stores::nontemporal;
  const Prediction around = predict(p, chain_shape(p), cpu());
  CHECK(around.time_s.value == Catch::Approx(2.0 / 6 + 1e-5));
  CHECK(around.dram_bytes == Catch::Approx(2e9));
  p.threads = 1;
  CHECK(time_of(p, cpu()) == Catch::Approx(2.0 / 5));  // nobody is started
  // Two of four cores cannot move more than all together.
  p.threads = 2;
  CHECK(time_of(p, cpu()) == Catch::Approx(2.0 / 6 + 1e-5));
  p.stores = Stores::plain;
  p.threads = 2;
  CHECK(time_of(p, cpu()) == Catch::Approx(2.0 / 4 + 1e-5));
  // Two reads and a write are four lines with the one read for ownership.
  p.inputs = Inputs::two;
  p.operand_arrays = 1;
  CHECK(predict(p, chain_shape(p), cpu()).dram_bytes == Catch::Approx(4e9));
}

TEST_CASE("fusion model: do small arrays run at the rate of the cache that holds them?") {
  Parameters p = large(1);
  p.stores = Stores::plain;
  p.elements = 20'000;  // 0.32 MB of two arrays in four L2 of 1 MB
  CHECK(predict(p, chain_shape(p), cpu()).bound == "launches");
  CHECK(time_of(p, cpu()) == Catch::Approx(0.32e6 / 200e9 + 1e-5));
  CHECK(predict(p, chain_shape(p), cpu()).dram_bytes == 0.0);
  p.threads = 1;
  CHECK(time_of(p, cpu()) == Catch::Approx(0.32e6 / 60e9));
  p.threads = 4;
  p.elements = 500'000;  // 8 MB in L3
  CHECK(predict(p, chain_shape(p), cpu()).bound == "l3");
  // At the size of a cache the prediction lies between both levels, and its interval spans them.
  p.elements = 1'000'000;
  const Prediction edge = predict(p, chain_shape(p), cpu());
  CHECK(edge.time_s.low == Catch::Approx(16e6 / 100e9 + 1e-5));
  CHECK(edge.time_s.high == Catch::Approx(16e6 / 4e9 + 1e-5));
  CHECK(edge.time_s.value > edge.time_s.low);
  CHECK(edge.time_s.value < edge.time_s.high);
  CHECK_FALSE(edge.dram_bytes.has_value());
}

TEST_CASE("fusion model: do blocks keep what lies between passes out of DRAM?") {
  Parameters p = large(8);
  p.fusion = Fusion::unfused;
  p.block = 4096;  // 32 KiB, in L2 with its scratch
  const Prediction blocked = predict_blocked(p, chain_shape(p), cpu());
  CHECK(blocked.dram_bytes == Catch::Approx(2e9));
  CHECK(blocked.launches == 1);
  // 2 arrays through DRAM at 6 GB/s, 14 through L2 at 200 GB/s.
  CHECK(blocked.time_s.value == Catch::Approx(2.0 / 6 + 14.0 / 200 + 1e-5));
  CHECK(blocked.time_s.value < time_of(p, cpu()) / 5);
}

TEST_CASE("fusion model: does it name what a profile lacks, and say what it leaves out?") {
  machine::MachineProfile poor;
  poor.name = "poor";
  poor.kind = machine::MachineKind::gpu;
  Context context = context_with(poor);
  CHECK(contains(error_of([&] { model(large(2), context); }), "dram.copy_bytes_per_s"));
  poor.set("dram", "theoretical_bytes_per_s", figure(1e9));
  context = context_with(poor);
  CHECK(contains(error_of([&] { model(large(2), context); }), "fp64_vector_flops_per_s"));
  poor.set("peak", "fp64_vector_flops_per_s", figure(1e12));
  context = context_with(poor);
  const Result result = model(large(2), context);
  REQUIRE(result.notes().size() == 1);
  CHECK(contains(result.notes()[0], "launch.kernel_s"));
  Parameters blocked = large(2);
  blocked.block = 64;
  CHECK_THROWS_AS(model(blocked, context), CaseSkipped);
}
