// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/gpu_benches.hpp"

#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "roofline/ceilings/gpu_profile.hpp"
#include "roofline/ceilings/host_profile.hpp"
#include "support/catch.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::roofline::ceilings;
namespace fs = std::filesystem;

namespace {

// The public logs, which are not part of the repository; empty, saying so, where they are missing.
fs::path logs() {
  std::vector<fs::path> candidates;
  if (const char* data = std::getenv("HPCLAB_DATA")) candidates.emplace_back(data);
  candidates.push_back(fs::path(HPCLAB_SOURCE_DIR) / ".." / "shared" / "data");
  for (const fs::path& candidate : candidates) {
    const fs::path folder = candidate / "roofline" / "gpu-benches";
    if (fs::is_directory(folder)) return folder;
  }
  std::cerr << "skipped: no gpu-benches logs (set HPCLAB_DATA)\n";
  return {};
}

std::string content(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Json gpu_record(const Json& parameters, const Json& values) {
  return {{"method", "measure"},
          {"backend", "cuda"},
          {"status", "ok"},
          {"run", "0123456789abcdef"},
          {"parameters", parameters},
          {"values", values},
          {"text", {{"device", "NVIDIA H200"}, {"shape", "4 vectors a thread"}}},
          {"tables",
           {{"device",
             {{"columns", {"multiprocessors", "l2_size", "memory_size", "highest_clock"}},
              {"units", {"", "B", "B", "Hz"}},
              {"rows", {{132, 52428800, 150754820096, 1.98e9}}}}}}}};
}

std::vector<Json> h200_records() {
  return {
      gpu_record({{"quantity", "bandwidth"}, {"level", "l2"}, {"kind", "read"}, {"working_set", 0}},
                 {{"bandwidth_bytes_per_s", 9.9e12}, {"clock_hz", 1.98e9}}),
      gpu_record(
          {{"quantity", "bandwidth"}, {"level", "dram"}, {"kind", "read"}, {"working_set", 0}},
          {{"bandwidth_bytes_per_s", 4.0e12}}),
      gpu_record({{"quantity", "bandwidth"},
                  {"level", "shared"},
                  {"kind", "read"},
                  {"conflict", 8},
                  {"working_set", 0}},
                 {{"bandwidth_bytes_per_s", 4.1e12}}),
      gpu_record({{"quantity", "flops"}, {"precision", "fp32"}, {"unit", "vector"}},
                 {{"flops_per_s", 64e12}}),
      gpu_record({{"quantity", "flops"}, {"precision", "int8"}, {"unit", "tensor"}},
                 {{"flops_per_s", 1500e12}}),
      gpu_record({{"quantity", "launch"}, {"launch_by", "graph"}}, {{"launch_s", 1.2e-6}}),
      gpu_record({{"quantity", "link"}, {"direction", "host-to-device"}, {"host_memory", "pinned"}},
                 {{"bandwidth_bytes_per_s", 55e9}}),
      gpu_record({{"quantity", "latency"}, {"level", "dram"}, {"chains", 1}, {"working_set", 0}},
                 {{"latency_s", 600e-9}}),
      gpu_record({{"quantity", "concurrency"}, {"level", "dram"}}, {{"needed_lines", 25000.0}})};
}

}  // namespace

TEST_CASE("gpu-benches: are rows read and other lines passed over?") {
  const auto rows = parse_cache_log(
      "     data set   exec time     spread       Eff. bw\n"
      "  64 kB  6000 kB   4ms   1.0%   100.5 GB/s  0 GB/s\n"
      "garbage\n"
      "  64 kB  8000 kB   4ms   1.0%   300.5 GB/s\n",
      "test");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].data_set_bytes == 6e6);
  CHECK(rows[0].bandwidth_bytes_per_s == 100.5e9);
  CHECK(*cache_plateau_bytes_per_s(rows, 1e6, 1e7) == 200.5e9);
  CHECK_FALSE(cache_plateau_bytes_per_s(rows, 1e9, 1e10));
  const auto points = parse_roofline_log(
      "8\n16\n"
      "0 864 blocks 0 its 0.250 Fl/B 1372 GB/s 343 GF/s 1410 Mhz 227 W 46C\n"
      "0 864 blocks 9 its 5.250 Fl/B 1300 GB/s 18000 GF/s 1400 Mhz 330 W 46C\n"
      "1 864 blocks 9 its 5.250 Fl/B 1300 GB/s 19000 GF/s 1410 Mhz 330 W 46C\n",
      "test");
  REQUIRE(points.size() == 3);
  CHECK(points[0].clock_hz == 1.41e9);
  CHECK(points[0].power_w == 227);
  CHECK(roofline_peak_flops_per_s(points) == 18.5e12);
  CHECK_THROWS_AS(parse_cache_log("nothing\n", "test"), UsageError);
  CHECK_THROWS_AS(parse_roofline_log("", "test"), UsageError);
}

TEST_CASE("gpu-benches: does no mutation of a log do more than be refused?") {
  const std::string sample =
      "0 864 blocks 0 its 0.250 Fl/B 1372 GB/s 343 GF/s 1410 Mhz 227 W 46C\n"
      "  64 kB  6000 kB   4ms   1.0%   100.5 GB/s  0 GB/s\n";
  RandomStream random(1, "mutations");
  for (int i = 0; i < 20'000; ++i) {
    std::string text = sample;
    for (int k = 0; k < 3; ++k)
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    // Either rows with rates above zero, or a refusal; nothing else may leave the parser.
    bool fair = true;
    try {
      for (const roofline::CacheLogRow& row : parse_cache_log(text, "test"))
        fair = fair && row.bandwidth_bytes_per_s > 0;
    } catch (const UsageError&) {
    }
    try {
      fair = fair && !parse_roofline_log(text, "test").empty();
    } catch (const UsageError&) {
    }
    if (!fair) FAIL(text);
  }
}

TEST_CASE("gpu-benches: are the plateaus of the public logs those that the profiles state?") {
  const fs::path folder = logs();
  if (folder.empty()) return;
  const auto h200 = parse_cache_log(content(folder / "gpu-l2-cache_h200.txt"), "h200");
  CHECK(*cache_plateau_bytes_per_s(h200, 6e6, 42e6) == Catch::Approx(9.836e12).epsilon(2e-3));
  CHECK(*cache_plateau_bytes_per_s(h200, 100e6, 1e15) == Catch::Approx(3.888e12).epsilon(1e-3));
  const auto a100 = parse_roofline_log(content(folder / "gpu-roofline_alex_a100_40.txt"), "a100");
  CHECK(roofline_peak_flops_per_s(a100) == Catch::Approx(19.05e12).epsilon(2e-2));
  const auto peak = roofline_peak_flops_per_s(
      parse_roofline_log(content(folder / "gpu-roofline_h200.txt"), "h200"));
  CHECK(peak / 66.9e12 == Catch::Approx(0.63).epsilon(0.03));
}

TEST_CASE("gpu-benches: is a log matched with its device?") {
  CHECK(log_is_of_device("gpu-l2-cache_h200.txt", "NVIDIA H200"));
  CHECK(log_is_of_device("x/gpu-l2-cache_a100_80.txt", "NVIDIA A100-SXM4-80GB"));
  CHECK(log_is_of_device("gpu-roofline_alex_a100_40.txt", "NVIDIA A100-SXM4-40GB"));
  CHECK_FALSE(log_is_of_device("gpu-l2-cache_a100_80.txt", "NVIDIA A100-SXM4-40GB"));
  CHECK_FALSE(log_is_of_device("gpu-l2-cache_h100_pcie.txt", "NVIDIA H100 80GB HBM3"));
  CHECK_FALSE(log_is_of_device("README", "NVIDIA H200"));
}

TEST_CASE("gpu-benches: are measured ceilings set beside the plateaus as a ratio?") {
  const fs::path folder = logs();
  if (folder.empty()) return;
  const auto lines = compare_with_gpu_benches(h200_records(), folder);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].find("l2 read") == 0);
  CHECK(lines[0].find("ratio 1.0") != std::string::npos);
  CHECK(lines[1].find("dram read") == 0);
  CHECK(lines[1].find("ratio 1.029") != std::string::npos);  // 4.0 / 3.888
  CHECK(lines[2].find("fp32") == 0);
  CHECK(compare_with_gpu_benches({}, folder)[0].find("nothing was measured") != std::string::npos);
}

TEST_CASE("gpu records: does the conclusion of a run know those without figures, and a GPU's?") {
  RunSummary summary;
  Json emulated = gpu_record({{"quantity", "concurrency"}, {"level", "dram"}},
                             {{"mismatch_count", 0.0}, {"compared_count", 9.0}});
  emulated["backend"] = "emulator";
  summary.records = {emulated};
  CHECK(conclude(summary).empty());
  summary.records = {
      gpu_record({{"quantity", "concurrency"}, {"level", "dram"}}, {{"latency_s", 4e-7},
                                                                    {"bandwidth_bytes_per_s", 4e12},
                                                                    {"needed_lines", 25000.0},
                                                                    {"kept_lines", 180.0}})};
  const auto lines = conclude(summary);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("dram at NVIDIA H200") == 0);
  CHECK(lines[0].find("need 25000 lines in flight; a multiprocessor keeps 180") !=
        std::string::npos);
}

TEST_CASE("gpu profile: do cuda records become figures of a gpu profile?") {
  const machine::MachineProfile profile = profile_from_records(h200_records());
  CHECK(profile.kind == machine::MachineKind::gpu);
  CHECK(profile.name == "nvidia-h200");
  CHECK(profile.require("l2", "read_bytes_per_s") == 9.9e12);
  CHECK(profile.figure("l2", "read_bytes_per_s").conditions == "4 vectors a thread; 1980 MHz");
  CHECK(profile.require("dram", "read_bytes_per_s") == 4.0e12);
  CHECK(profile.find("shared", "read_bytes_per_s") == nullptr);  // that case had conflicts
  CHECK(profile.require("peak", "fp32_vector_flops_per_s") == 64e12);
  CHECK(profile.require("peak", "int8_tensor_ops_per_s") == 1500e12);
  CHECK(profile.require("launch", "graph_kernel_s") == 1.2e-6);
  CHECK(profile.require("link", "pinned_host_to_device_bytes_per_s") == 55e9);
  CHECK(profile.require("dram", "latency_s") == 600e-9);
  CHECK(profile.require("concurrency", "saturation_bytes") == 64 * 25000.0);
  CHECK(profile.require("processor", "sm_count") == 132);
  CHECK(profile.require("l2", "size_bytes") == 52428800);
  // It survives its file format.
  CHECK(machine::profile_from_json(machine::profile_to_json(profile), "test").name == profile.name);
  CHECK_THROWS_AS(gpu_profile_from_records({}), CaseFailed);
  CHECK(gpu_profile_name("NVIDIA A100-SXM4-80GB") == "nvidia-a100-sxm4-80gb");
}
