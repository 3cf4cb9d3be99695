// hpclab: SPDX-License-Identifier: Apache-2.0
//
// BabelStream, likwid-bench, CARM, gpu-benches and rocprof-compute's ceilings.
#include "roofline/import/log.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/text.hpp"
#include "unit/roofline/import/samples.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace hpclab;
using namespace hpclab::test;
using roofline::import::Log;
using roofline::import::Point;

TEST_CASE("babelstream csv: are bytes recounted from arrays, and MB told from MiB?") {
  const Log log = log_of(babelstream_csv);
  CHECK(log.format == "babelstream");
  REQUIRE(log.points.size() == 3);
  const Point& triad = log.points[1];
  CHECK(triad.bytes.at("dram") == 3.0 * 8 * 134217728);
  CHECK(triad.flops == 2.0 * 134217728);
  CHECK(triad.time_s.value == 0.0024);
  CHECK(triad.figures.at("dram.triad_bytes_per_s") == Catch::Approx(1342177.28e6));
  CHECK(log.points[2].figures.count("dram.read_bytes_per_s") == 1);  // dot only reads
  for (const Point& point : log.points) CHECK(contradictions_of(point).empty());

  // 0.00240000 s leaves no doubt about the rate.
  const std::string exact = with(babelstream_csv, "0.0024,", "0.00240000,");
  CHECK(
      contains(contradictions_of(log_of(with(exact, "1342177,", "1280000,")).points[1]),
               "max_mbytes_per_sec is printed as 1.280 TB/s, counts over time give 1.342 TB/s: MiB "
               "(2^20) named MB (10^6)"));
  // The same rates under a header that says MiB are too large.
  const std::string mib =
      with(exact, "sizeof,max_mbytes_per_sec,min", "sizeof,max_mibytes_per_sec,min");
  CHECK(contains(contradictions_of(log_of(mib).points[1]), "MB (10^6) named MiB (2^20)"));
}

TEST_CASE("babelstream: are the text, --triad-only and several runs in one file read?") {
  const Log text = log_of(babelstream_text);
  REQUIRE(text.points.size() == 2);
  CHECK(text.points[0].bytes.at("dram") == 2.0 * 8 * 33554432);
  CHECK(text.points[0].machine_kind == "gpu");
  CHECK(contradictions_of(text.points[1]).empty());
  CHECK(text.points[1].figures.count("dram.triad_bytes_per_s") == 1);

  const Point triad = only_point(
      "function,num_times,n_elements,sizeof,gbytes_per_sec,runtime\n"
      "Triad,100,33554432,8,805.306,0.1000\n");
  CHECK(triad.time_s.value == Catch::Approx(0.001));
  CHECK(contradictions_of(triad).empty());

  const Log twice = log_of(babelstream_csv + babelstream_csv);
  REQUIRE(twice.points.size() == 6);
  CHECK(twice.points[3].name == "Copy 1074 MB #2");
}

TEST_CASE("babelstream: do arrays that a cache may hold make no figure of main memory?") {
  const std::string small =
      with(babelstream_csv, "134217728,8,1342177,0.0024,", "1048576,8,1342177,0.00001875,");
  CHECK(log_of(small).points[1].figures.empty());
}

TEST_CASE("babelstream: are unknown kernels, missing columns and cut rows refused?") {
  CHECK(contains(refused(with(babelstream_csv, "Triad", "Traid")),
                 "f:6: unknown kernel 'Traid'; known are Copy, Mul, Add, Triad, Dot, Nstream"));
  CHECK(contains(refused(with(babelstream_csv, "min_runtime", "runtime_min")),
                 "f:4: missing column 'min_runtime'; found function, num_times"));
  CHECK(contains(refused(babelstream_csv.substr(0, babelstream_csv.rfind(",0.0015"))),
                 "f:7: 6 fields, but the header has 8"));
  CHECK(contains(refused(with(babelstream_csv, "0.0024,", "nan,")), "f:6: 'min_runtime' is 'nan'"));
  CHECK(contains(refused(with(babelstream_text, "Array size: 268.4 MB", "Array")),
                 "no line 'Array size: ...' before the table"));
}

TEST_CASE("likwid-bench: are rates, volume and operations checked against each other?") {
  const Log log = log_of(likwid_bench_log);
  REQUIRE(log.points.size() == 2);
  const Point& peak = log.points[0];
  CHECK(peak.figures.at("peak.fp64_avx512_flops_per_s") == 12.8e6);
  const Point& stream = log.points[1];
  CHECK(stream.figures.at("dram.triad_bytes_per_s") == 12e9);
  CHECK(stream.working_set_a_thread_bytes == 1.2e9);
  CHECK(contradictions_of(peak).empty());
  CHECK(contradictions_of(stream).empty());

  const auto second = [](const std::string& text) {
    return contradictions_of(log_of(text).points[1]);
  };
  CHECK(contains(second(with(likwid_bench_log, "2000000000\nMFlops/s:\t\t1000",
                             "1000000000\nMFlops/s:\t\t500")),
                 "'stream' has 2 operations an update, the log counts 1: half"));
  CHECK(contains(second(with(likwid_bench_log, "12000.00", "11444.09")),
                 "MiB (2^20) named MB (10^6)"));
  CHECK(contains(second(with(likwid_bench_log, "24000000000\nMByte/s:\t\t12000",
                             "12000000000\nMByte/s:\t\t6000")),
                 "10 repetitions of 2400000000 bytes are 2.4e+10"));
}

TEST_CASE("likwid-bench: does one thread make a figure of a core, and a middling size none?") {
  const Log one = log_of(with(with(likwid_bench_log, "Using 2 threads", "Using 1 threads"),
                              "Using 2 threads", "Using 1 threads"));
  CHECK(one.points[0].figures.count("peak.core_fp64_avx512_flops_per_s") == 1);
  CHECK(one.points[1].figures.count("dram.core_triad_bytes_per_s") == 1);
  const std::string middling =
      with(with(with(likwid_bench_log, "2400000000\nSize per", "24000000\nSize per"),
                "1200000000\n", "12000000\n"),
           "thread:\t10\n", "thread:\t1000\n");
  CHECK(log_of(middling).points[1].figures.empty());
  CHECK(contains(
      refused(likwid_bench_log.substr(0, likwid_bench_log.rfind("Data volume"))),
      "f:16: the run of 'stream_avx512' that begins here has no line 'Data volume (Byte):'; "
      "was the log cut?"));
}

TEST_CASE("carm: are ceilings of the largest number of threads the machine's, of one a core's?") {
  const Log log = log_of(carm_ceilings);
  REQUIRE(log.points.size() == 12);
  CHECK(log.points[0].figures.at("l1.core_triad_bytes_per_s") == 300e9);
  CHECK(log.points[3].figures.at("dram.core_triad_bytes_per_s") == 12e9);
  CHECK(log.points[4].figures.empty());  // plain additions are half of the peak
  CHECK(log.points[5].figures.at("peak.core_fp64_avx512_flops_per_s") == 80e9);
  CHECK(log.points[9].figures.at("dram.triad_bytes_per_s") == 90e9);
  CHECK(log.points[11].figures.at("peak.fp64_avx512_flops_per_s") == 640e9);
  CHECK(
      contains(refused(with(carm_ceilings, ",dp,", ",hp,")), "'Precision' is 'hp', not dp or sp"));
  CHECK(contains(refused(with(carm_ceilings, "Threads,", "Cores,")), "missing column 'Threads'"));
}

TEST_CASE("carm: do applications' intensities and bandwidths agree, and is it said when not?") {
  const Point point = only_point(carm_applications);
  CHECK(point.flops == Catch::Approx(12e9 * 3.5));
  CHECK(point.bytes.at("l1") == Catch::Approx(48e9 * 3.5));
  CHECK(contradictions_of(point).empty());
  CHECK(contains(contradictions_of(only_point(with(carm_applications, ",48,", ",6,"))),
                 "Bandwidth is printed as 6.000 GB/s"));
}

TEST_CASE("gpu-benches: do stream, roofline and latency rows give points and figures?") {
  const Log stream = log_of(gpu_stream_log);
  REQUIRE(stream.points.size() == 12);
  CHECK(stream.points[7].name == "read 1024 threads a block");
  CHECK(stream.points[7].figures.at("dram.read_bytes_per_s") == 2756e9);
  CHECK(stream.points[1].figures.empty());

  const Log roofline = log_of(gpu_roofline_log);
  REQUIRE(roofline.points.size() == 2);
  CHECK(roofline.points[1].figures.at("peak.fp32_vector_flops_per_s") == 19002e9);
  CHECK(contradictions_of(roofline.points[0]).empty());
  CHECK(contains(
      contradictions_of(log_of(with(gpu_roofline_log, "  343 GF/s", "  172 GF/s")).points[0]),
      "GF/s is printed"));

  const Log latency = log_of(gpu_latency_log);
  REQUIRE(latency.points.size() == 2);
  CHECK(latency.points[1].latency_s == Catch::Approx(149.6e-9));
  CHECK(contradictions_of(latency.points[0]).empty());
  CHECK(contains(contradictions_of(log_of(with(gpu_latency_log, "211.0", "311.0")).points[1]),
                 "311 cycles are printed"));
}

TEST_CASE("gpu-benches: are the plateaus of a cache sweep found and put to their levels?") {
  const Log log = log_of(gpu_cache_log());
  std::size_t l2 = 0;
  std::size_t dram = 0;
  for (const Point& point : log.points) {
    l2 += point.figures.count("l2.read_bytes_per_s");
    dram += point.figures.count("dram.read_bytes_per_s");
    if (point.figures.count("dram.read_bytes_per_s") > 0) {
      CHECK(point.figures.at("dram.read_bytes_per_s") == 3900e9);
    }
  }
  CHECK(l2 >= 12);
  CHECK(dram >= 15);
}

TEST_CASE("gpu-benches: are cut rows and logs without rates refused?") {
  CHECK(contains(refused(gpu_stream_log.substr(0, gpu_stream_log.rfind("3128"))),
                 "f:3: this is no whole row of gpu-stream; was it cut?"));
  CHECK(contains(refused(gpu_roofline_log.substr(0, gpu_roofline_log.rfind("Mhz"))),
                 "f:3: this is no whole row of gpu-roofline; was it cut?"));
  CHECK(contains(
      refused("clock: 1410\n\nfloat block     1  4098     9.2   14.0   2.00    9.2   0.01\n"),
      "a log of gpu-strides"));
}

TEST_CASE("gpu-benches: do the public logs give the plateaus that the profiles state?") {
  namespace fs = std::filesystem;
  const char* data = std::getenv("HPCLAB_DATA");
  const fs::path folder =
      (data ? fs::path(data) : fs::path(HPCLAB_SOURCE_DIR) / ".." / "shared" / "data") /
      "roofline" / "gpu-benches";
  if (!fs::is_directory(folder)) {
    std::cerr << "skipped: no gpu-benches logs (set HPCLAB_DATA)\n";
    return;
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    const bool without_rates = contains(name, "gpu-strides") || contains(name, "gpu-small-kernels");
    if (without_rates) {
      CHECK_THROWS_AS(read_log(entry.path(), "auto", roofline::import::Launches::together),
                      UsageError);
      continue;
    }
    const auto log = read_log(entry.path(), "auto", roofline::import::Launches::together);
    CHECK(log->format == "gpu-benches");
    for (const Point& point : log->points) CHECK(contradictions_of(point) == "");
  }
  std::map<std::string, std::vector<double>> h200;
  const auto log =
      read_log(folder / "gpu-l2-cache_h200.txt", "auto", roofline::import::Launches::together);
  for (const Point& point : log->points) {
    for (const auto& [figure, value] : point.figures) h200[figure].push_back(value);
  }
  for (const double value : h200["dram.read_bytes_per_s"])
    CHECK(value == Catch::Approx(3.888e12).epsilon(0.02));
  CHECK(h200["dram.read_bytes_per_s"].size() > 10);
  for (const double value : h200["l2.read_bytes_per_s"]) CHECK(value > 8e12);
}

TEST_CASE("rocprof-compute ceilings: are the columns put to levels and peaks?") {
  const Log log = log_of(rocprof_roofline);
  CHECK(log.format == "rocprof-roofline");
  REQUIRE(log.points.size() == 7);
  CHECK(log.points[0].figures.at("dram.copy_bytes_per_s") == Catch::Approx(1300.5e9));
  CHECK(log.points[6].figures.at("peak.fp64_tensor_flops_per_s") == Catch::Approx(40100.3e9));
  CHECK(contradictions_of(log.points[0]).empty());
  CHECK(
      contains(contradictions_of(log_of(with(rocprof_roofline, "0,1300.5", "0,1400.5")).points[0]),
               "1400.5 lies outside its own range, 1290.1 to 1310.2"));
}
