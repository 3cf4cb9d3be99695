// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Small logs in the format of each program; the numbers are made to fit the formats' own
// arithmetic, those of nekRS, hipBone and deal.II are published ones.
#pragma once

#include "core/error.hpp"
#include "roofline/import/log.hpp"
#include "support/errors.hpp"

#include <string>
#include <utility>
#include <vector>

namespace hpclab::test {

inline const std::string nekrs_log =
    "MPItasks=1 OMPthreads=2 NRepetitions=78036 Ndim=1 N=7 Nelements=4096 elapsed time=0.00010919 "
    "bkMode=1 wordSize=64 GDOF/s=12.8668 GB/s=1229.21 GFLOPS/s=2131.91\n"
    "MPItasks=1 OMPthreads=2 NRepetitions=131933 Ndim=1 N=7 Nelements=4096 elapsed "
    "time=5.85106e-05 bkMode=1 wordSize=32 GDOF/s=24.0115 GB/s=1146.95 GFLOPS/s=3978.49\n";

inline const std::string hipbone_log =
    "hipBone: 14, 37595375, 0.2870, 100, 7.63e-09, 2732.2, 3412.4, 1.31e+10; N, DOFs, elapsed, "
    "iterations, time per DOF, avg BW (GB/s), avg GFLOPs, DOFs*iterations/ranks*time \n"
    "hipBone: NekBone FOM = 3479.4 GFLOPs. \n";

inline const std::string dealii_log =
    " p   q  n_element      n_dofs      time/it    dofs/s/it  itCG  time/matvec\n"
    " 4   5    1048576    67634433    0.0934063  7.24088e+08   100    0.0428401\n"
    " 4   5    2097152   135005697     0.185093  7.29395e+08   100    0.0844322\n";

inline const std::string babelstream_csv =
    "phase,n_elements,sizeof,max_mbytes_per_sec,runtime\n"
    "Init,134217728,8,12000.5,0.268\n"
    "Read,134217728,8,9000.25,0.358\n"
    "function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime\n"
    "Copy,100,134217728,8,1431660,0.0015,0.0016,0.00155\n"
    "Triad,100,134217728,8,1342177,0.0024,0.0025,0.00245\n"
    "Dot,100,134217728,8,1533917,0.0014,0.0015,0.00145\n";

inline const std::string babelstream_text =
    "BabelStream\nVersion: 5.0\nImplementation: CUDA\nRunning kernels 100 times\n"
    "Precision: double\nArray size: 268.4 MB (=0.3 GB)\nTotal size: 805.3 MB (=0.8 GB)\n"
    "Using CUDA device NVIDIA H200\nDriver: 12040\n"
    "Function    MBytes/sec  Min (sec)   Max         Average     \n"
    "Copy        2684354.560 0.00020     0.00021     0.00020     \n"
    "Triad       2684354.560 0.00030     0.00031     0.00030     \n";

inline const std::string likwid_bench_log =
    "LIKWID MICRO BENCHMARK\nTest: peakflops_avx512_fma\nUsing 1 work groups\nUsing 2 threads\n"
    "Cycles:\t\t\t2000000000\nCPU Clock:\t\t2000000000\nTime:\t\t\t1.000000e+00 sec\n"
    "Iterations:\t\t200\nIterations per thread:\t100\nSize (Byte):\t\t32000\n"
    "Size per thread:\t16000\nNumber of Flops:\t12800000\nMFlops/s:\t\t12.80\n"
    "Data volume (Byte):\t3200000\nMByte/s:\t\t3.20\n"
    "Test: stream_avx512\nUsing 2 threads\nTime:\t\t\t2.000000e+00 sec\n"
    "Iterations per thread:\t10\nSize (Byte):\t\t2400000000\nSize per thread:\t1200000000\n"
    "Number of Flops:\t2000000000\nMFlops/s:\t\t1000.00\nData volume (Byte):\t24000000000\n"
    "MByte/s:\t\t12000.00\nLoad bytes per element:\t16\nStore bytes per elem.:\t8\n";

inline const std::string likwid_perfctr_text =
    "CPU name:\tsome processor\n"
    "Region solve, Group 1: MEM_DP\n"
    "+---+---+\n|    Region Info    |  Core 0  |  Core 1 |\n"
    "| RDTSC Runtime [s] | 2.000000 | 2.000000 |\n"
    "|        Metric        |  Core 0  |  Core 1  |\n"
    "|  Runtime (RDTSC) [s]  |   2.0000 |   1.9000 |\n"
    "|          CPI          |   0.5277 |      nan |\n"
    "|      DP [MFLOP/s]     | 700.0000 | 500.0000 |\n"
    "| Memory bandwidth [MBytes/s] | 631.0000 | 169.0000 |\n"
    "| Memory data volume [GBytes] | 1.2620 | 0.3380 |\n"
    "| Operational intensity | 1.1094 | 2.9586 |\n"
    "|         Metric         |    Sum    |    Min    |    Max    |    Avg    |\n"
    "| Runtime (RDTSC) [s] STAT | 3.9000 | 1.9000 | 2.0000 | 1.9500 |\n"
    "| DP [MFLOP/s] STAT | 1200.0000 | 500.0000 | 700.0000 | 600.0000 |\n";

inline const std::string likwid_perfctr_csv =
    "TABLE,Region solve,Group 1 Raw,MEM_DP,2,\nEvent,Counter,HWThread 0,\nX,PMC0,7,\n"
    "TABLE,Region solve,Group 1 Metric,MEM_DP,4,\nMetric,HWThread 0,\n"
    "Runtime (RDTSC) [s],2.0000,\nDP [MFLOP/s],800.0000,\nMemory bandwidth [MBytes/s],1600.0000,\n"
    "Operational intensity,0.5000,\n";

inline const std::string carm_ceilings =
    "Name:,box,L1 Size:,32,L2 Size:,1024,L3 Size:,36000,,L1,L1,L2,L2,L3,L3,DRAM,DRAM,FP,FP,FP "
    "FMA,FP_FMA\n"
    "Date,ISA,Precision,Threads,Loads,Stores,Interleaved,DRAM Bytes,FP Inst.,GB/s,I/Cycle,GB/s,"
    "I/Cycle,GB/s,I/Cycle,GB/s,I/Cycle,Gflop/s,I/Cycle,Gflop/s,I/Cycle\n"
    "2026-01-01,avx512,dp,1,2,1,No,536870912,add,300,2.1,150,1.1,60,0.4,12,0.1,40,2,80,2\n"
    "2026-01-01,avx512,dp,8,2,1,No,536870912,add,2400,2.1,1200,1.1,400,0.4,90,0.1,320,2,640,2\n";

inline const std::string carm_applications =
    "Date,Method,Name,ISA,Precision,Threads,AI,Gflops,Bandwidth,Time\n"
    "2026-01-01,DBI,solver,avx512,dp,8,0.25,12,48,3.5\n";

inline const std::string ncu_raw =
    "==PROF== Connected to process 7\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\","
    "\"gpu__time_duration.sum\",\"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum\","
    "\"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum\","
    "\"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum\"\n"
    "\"\",\"\",\"\",\"Mbyte\",\"Mbyte\",\"usecond\",\"inst\",\"inst\",\"inst\"\n"
    "\"0\",\"7\",\"axpy(int, double*)\",\"800.00\",\"400.00\",\"1,000.00\",\"0\",\"0\","
    "\"50,000,000\"\n"
    "\"1\",\"7\",\"axpy(int, double*)\",\"800.00\",\"400.00\",\"1,000.00\",\"0\",\"0\","
    "\"50,000,000\"\n"
    "\"2\",\"7\",\"scale\",\"800.00\",\"800.00\",\"500.00\",\"0\",\"100,000,000\",\"0\"\n";

inline const std::string ncu_metrics =
    "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
    "\"0\",\"axpy\",\"dram__bytes_read.sum\",\"byte\",\"800,000,000\"\n"
    "\"0\",\"axpy\",\"dram__bytes_write.sum\",\"byte\",\"400,000,000\"\n"
    "\"0\",\"axpy\",\"gpu__time_duration.sum\",\"ns\",\"1,000,000\"\n"
    "\"0\",\"axpy\",\"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum\",\"inst\",\"50,000,"
    "000\"\n";

inline const std::string rocprof_pmc =
    "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp,SQ_INSTS_VALU_FMA_F64,"
    "SQ_INSTS_VALU_ADD_F64,TCC_EA_RDREQ_sum,TCC_EA_RDREQ_32B_sum,TCC_EA_WRREQ_sum,"
    "TCC_EA_WRREQ_64B_sum\n"
    "0,\"axpy(double*, int)\",1000000000000000,1000000001000000,1000000,500000,20000000,0,10000000,"
    "10000000\n";

inline const std::string rocprof_counters =
    "\"Correlation_Id\",\"Dispatch_Id\",\"Kernel_Name\",\"Counter_Name\",\"Counter_Value\","
    "\"Start_Timestamp\",\"End_Timestamp\"\n"
    "1,1,\"axpy\",\"FETCH_SIZE\",1000000,5000,1005000\n"
    "1,1,\"axpy\",\"WRITE_SIZE\",500000,5000,1005000\n"
    "1,1,\"axpy\",\"SQ_INSTS_VALU_FMA_F64\",1000000,5000,1005000\n";

inline const std::string rocprof_roofline =
    "device,HBMBw,HBMBwLow,HBMBwHigh,L2Bw,L1Bw,LDSBw,FP32Flops,FP64Flops,MFMAF64Flops,MFMAI8Ops\n"
    "0,1300.5,1290.1,1310.2,4100.2,9800.7,19000.1,21000.4,20900.1,40100.3,165000.9\n";

inline const std::string gpu_roofline_log =
    "8\n0 1056 blocks     0 its      0.250 Fl/B       1372 GB/s       343 GF/s   1410 Mhz   227 W  "
    " "
    "47\xc2\xb0"
    "C\n"
    "0 1056 blocks   512 its      128.250 Fl/B        148 GB/s     19002 GF/s   1410 Mhz   180 W   "
    "50\xc2\xb0"
    "C\n";

inline const std::string gpu_stream_log =
    "blockSize   threads       %occ  |                init       read       scale     triad       "
    "3pt        5pt\n"
    "       32        4224      3 %  |  GB/s:         297        123        240        334        "
    "222"
    "        218\n"
    "     1024      135168  100.0 %  |  GB/s:        3884       2756       3165       3534       "
    "3128"
    "       3110\n";

/// A sweep with two plateaus, 10,000 GB/s to 40 MB and 3,900 GB/s beyond.
inline std::string gpu_cache_log() {
  std::string log = "     data set   exec time     spread       Eff. bw\n";
  for (int size = 2048; size < 4000000; size += size / 4) {
    log += "  512 kB " + std::to_string(size) + " kB 4ms 1.0% " +
           (size < 40000 ? "10000.0" : "3900.0") + " GB/s 0 GB/s\n";
  }
  return log;
}

inline const std::string gpu_latency_log =
    "clock: 1095 1095 1410\n  1000000  1410        1     25.5    36.0\n"
    "  1000000  1410     2686    149.6   211.0\n";

/// Every sample by the name of its format.
inline std::vector<std::pair<std::string, std::string>> all_samples() {
  return {{"nekrs", nekrs_log},
          {"hipbone", hipbone_log},
          {"dealii", dealii_log},
          {"babelstream", babelstream_csv},
          {"babelstream", babelstream_text},
          {"likwid-bench", likwid_bench_log},
          {"likwid-perfctr", likwid_perfctr_text},
          {"likwid-perfctr", likwid_perfctr_csv},
          {"carm", carm_ceilings},
          {"carm", carm_applications},
          {"ncu", ncu_raw},
          {"ncu", ncu_metrics},
          {"rocprof", rocprof_pmc},
          {"rocprof", rocprof_counters},
          {"rocprof-roofline", rocprof_roofline},
          {"gpu-benches", gpu_roofline_log},
          {"gpu-benches", gpu_stream_log},
          {"gpu-benches", gpu_cache_log()},
          {"gpu-benches", gpu_latency_log}};
}

/// The log in `text`; "f" stands for its file.
inline roofline::import::Log log_of(
    const std::string& text, const std::string& format = "auto",
    roofline::import::Launches launches = roofline::import::Launches::together) {
  formats::LineReader recognition(formats::bytes_of(text), "f");
  formats::LineReader lines(formats::bytes_of(text), "f");
  return roofline::import::read_log(recognition, lines, format, launches);
}

/// Why the log in `text` is refused.
inline std::string refused(const std::string& text) {
  return usage_error_of([&] { log_of(text); });
}

inline roofline::import::Point only_point(const std::string& text) {
  const roofline::import::Log log = log_of(text);
  if (log.points.size() != 1) throw std::runtime_error("not one point");
  return log.points.front();
}

/// What a point contradicts, joined.
inline std::string contradictions_of(const roofline::import::Point& point) {
  std::string all;
  for (const std::string& finding : point.findings) all += finding + "\n";
  for (const roofline::import::Check& check : point.checks) {
    if (const auto words = roofline::import::contradiction(check)) all += *words + "\n";
  }
  return all;
}

/// `text` with the first `from` replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("'" + from + "' is not in the sample");
  return text.replace(at, from.size(), to);
}

}  // namespace hpclab::test
