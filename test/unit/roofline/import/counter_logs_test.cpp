// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Counters of kernels and regions: ncu, rocprof, likwid-perfctr.
#include "roofline/import/log.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/text.hpp"
#include "unit/roofline/import/samples.hpp"

#include <string>

using namespace hpclab;
using namespace hpclab::test;
using roofline::import::Launches;
using roofline::import::Log;
using roofline::import::Point;

TEST_CASE("ncu: are launches of a kernel summed up, or kept apart?") {
  const Log together = log_of(ncu_raw);
  CHECK(together.format == "ncu");
  REQUIRE(together.points.size() == 2);
  const Point& axpy = together.points[0];
  CHECK(axpy.name == "axpy(int, double*)");
  CHECK(axpy.time_s.value == Catch::Approx(2e-3));
  CHECK(axpy.flops == 2e8);  // a multiply-add is two
  CHECK(axpy.bytes.at("dram") == Catch::Approx(2.4e9));
  CHECK(axpy.precision == "fp64");
  CHECK(axpy.notes == std::vector<std::string>{"2 launches"});
  CHECK(together.points[1].flops == 1e8);
  const Log apart = log_of(ncu_raw, "auto", Launches::apart);
  REQUIRE(apart.points.size() == 3);
  CHECK(apart.points[1].name == "axpy(int, double*) #2");
  CHECK(apart.points[1].flops == 1e8);
}

TEST_CASE("ncu: do a row a metric and a column a metric say the same?") {
  const Point rows = only_point(ncu_metrics);
  const Point columns = log_of(ncu_raw, "auto", Launches::apart).points[0];
  CHECK(rows.flops == columns.flops);
  CHECK(rows.bytes.at("dram") == Catch::Approx(columns.bytes.at("dram")));
  CHECK(rows.time_s.value == Catch::Approx(columns.time_s.value));
}

TEST_CASE("ncu: are operations a cycle and peaks of roofline sections used?") {
  const Point point = only_point(
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\","
      "\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed\","
      "\"smsp__cycles_elapsed.avg.per_second\",\"dram__bytes.sum.peak_sustained\","
      "\"dram__cycles_elapsed.avg.per_second\","
      "\"dram__throughput.avg.pct_of_peak_sustained_elapsed\"\n"
      "\"\",\"\",\"ms\",\"Gbyte\",\"inst/cycle\",\"Ghz\",\"Kbyte/cycle\",\"cycle/nsecond\",\"%\"\n"
      "\"0\",\"k\",\"1.00\",\"1.00\",\"4,000\",\"1.50\",\"1.28\",\"1.25\",\"62.5\"\n");
  CHECK(point.flops == Catch::Approx(2 * 4000 * 1.5e9 * 1e-3));
  CHECK(point.precision == "fp32");
  CHECK(point.figures.at("dram.theoretical_bytes_per_s") == Catch::Approx(1.6e12));
  CHECK(contradictions_of(point).empty());  // 1 GB in 1 ms are 62.5 % of 1.6 TB/s
}

TEST_CASE("ncu: are counts of instructions and half of the traffic flagged?") {
  const std::string log =
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\","
      "\"sm__sass_thread_inst_executed_ops_dadd_dmul_dfma_pred_on.sum\"\n"
      "\"\",\"\",\"us\",\"byte\",\"inst\"\n\"0\",\"k\",\"10\",\"1000\",\"500\"\n";
  const Point point = only_point(log);
  CHECK(point.flops == 500);
  CHECK(contains(contradictions_of(point), "where a multiply-add is one"));
  CHECK(contains(contradictions_of(point), "half of the DRAM traffic is unknown"));
  CHECK(point.bytes.count("dram") == 0);
}

TEST_CASE("ncu: are mixed units, locales, missing metrics and cut rows refused?") {
  CHECK(contains(refused(with(ncu_raw, "\"Mbyte\",\"Mbyte\"", "\"Mbyte\",\"MiB\"")),
                 "f:4: unknown unit 'MiB' of dram__bytes_write.sum; use ncu --print-units base"));
  CHECK(contains(refused(with(ncu_raw, "\"1,000.00\"", "\"1.000,00\"")),
                 "f:4: 'gpu__time_duration.sum'"));
  CHECK(contains(refused(with(ncu_raw, "\"50,000,000\"", "\"50,0\"")), "a decimal comma?"));
  CHECK(contains(refused(with(ncu_raw, "gpu__time_duration.sum", "gpu__time_duration")),
                 "f:2: missing column 'gpu__time_duration.sum'"));
  CHECK(contains(refused(with(ncu_metrics, "gpu__time_duration.sum", "gpu__time")),
                 "f:2: launch of axpy without gpu__time_duration.sum"));
  CHECK(contains(refused(ncu_raw.substr(0, ncu_raw.rfind(",\"0\""))),
                 "f:6: 8 fields, but the header has 9; the file ends within this line"));
  CHECK(contains(refused("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"0\",\"k\",\"5\"\n"),
                 "neither operations nor bytes of k were collected"));
  CHECK(contains(refused(with(ncu_raw, "\"800.00\"", "\"-800.00\"")), "below 0"));
}

TEST_CASE("rocprof: do instructions of 64 lanes and requests to memory give the counts?") {
  const Point point = only_point(rocprof_pmc);
  CHECK(point.name == "axpy(double*, int)");
  CHECK(point.time_s.value == Catch::Approx(1e-3));
  CHECK(point.flops == 64 * (2.0 * 1000000 + 500000));
  CHECK(point.bytes.at("dram") == 64.0 * 20000000 + 64.0 * 10000000);
  CHECK(point.precision == "fp64");
  // Of the reads, 5 million of 32 bytes; of the writes, only 4 million of 64.
  const Point small = only_point(
      with(with(rocprof_pmc, "20000000,0,", "20000000,5000000,"), "10000000\n", "4000000\n"));
  CHECK(small.bytes.at("dram") == 32.0 * 5e6 + 64.0 * 15e6 + 64.0 * 4e6 + 32.0 * 6e6);
  // MI300 renames the counters and has requests of 128 bytes.
  std::string mi300 = rocprof_pmc;
  for (int i = 0; i < 4; ++i) mi300 = with(mi300, "TCC_EA_", "TCC_EA0_");
  mi300 = with(with(mi300, "WRREQ_64B_sum\n", "WRREQ_64B_sum,TCC_BUBBLE_sum\n"), "10000000\n",
               "10000000,2000000\n");
  CHECK(only_point(mi300).bytes.at("dram") == 128.0 * 2e6 + 64.0 * 18e6 + 64.0 * 10e6);
}

TEST_CASE("rocprof: does a row a counter make one point a launch?") {
  const Point point = only_point(rocprof_counters);
  CHECK(point.bytes.at("dram") == 1024 * 1.5e6);
  CHECK(point.flops == 64 * 2e6);
  CHECK(contains(refused(with(rocprof_counters, "5000,1005000", "1005000,5000")),
                 "f:2: the launch ends at 5000 ns, not after its start at 1005000 ns"));
  CHECK(contains(refused(with(rocprof_counters, "\"Start_Timestamp\"", "\"Begin\"")),
                 "f:1: missing column 'Start_Timestamp' or 'BeginNs' or 'Start_Time'; found"));
  CHECK(contains(refused(with(rocprof_counters, "1000000,5000", "-1,5000")), "below 0"));
}

TEST_CASE("likwid-perfctr: are threads added up, and is a sum of intensities called none?") {
  const Point point = only_point(likwid_perfctr_text);
  CHECK(point.name == "solve MEM_DP Group 1");
  CHECK(point.time_s.value == 2.0);
  CHECK(point.flops == Catch::Approx(1200e6 * 2));
  CHECK(point.bytes.at("dram") == Catch::Approx(800e6 * 2));
  CHECK(contains(contradictions_of(point),
                 "the intensities of 2 threads add up to 4.068 flop/byte, which is no intensity: "
                 "operations over bytes are 1.5"));
  CHECK(contains(contradictions_of(only_point(with(likwid_perfctr_text, "1200.0000", "1400.0000"))),
                 "the sum of 'DP [MFLOP/s]' is printed as 1400, the threads' values give 1200"));
  CHECK(contains(contradictions_of(only_point(with(likwid_perfctr_text, "1.2620", "1.6000"))),
                 "Memory bandwidth is printed as"));
}

TEST_CASE("likwid-perfctr: are its CSV and several regions read?") {
  const Point csv = only_point(likwid_perfctr_csv);
  CHECK(csv.flops == Catch::Approx(800e6 * 2));
  CHECK(contradictions_of(csv).empty());
  CHECK(contains(contradictions_of(only_point(with(likwid_perfctr_csv, "0.5000", "1.0000"))),
                 "Operational intensity is printed as 1.000 flop/byte, the counts give 0.5000"));
  std::string two = likwid_perfctr_text + with(likwid_perfctr_text, "Region solve", "Region setup");
  const Log log = log_of(two);
  REQUIRE(log.points.size() == 2);
  CHECK(log.points[1].name == "setup MEM_DP Group 1");
  CHECK(contains(refused(with(likwid_perfctr_text, "700.0000", "nan")),
                 "'DP [MFLOP/s]' is 'nan', which is not finite"));
  CHECK(contains(
      refused(with(likwid_perfctr_csv, "Runtime (RDTSC) [s],2.0000", "Runtime (RDTSC) [s],0")),
      "not above 0"));
}
