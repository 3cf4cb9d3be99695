// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "cuda/core/counters.hpp"

#include <sstream>

namespace hpclab::cuda {
namespace {

// Instructions executed by threads, predicated on: operation and how many flops it counts for.
struct FlopMetric {
  const char* name;
  double flops;
};
constexpr FlopMetric flop_metrics[] = {{"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 1},
                                       {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 1},
                                       {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 2},
                                       {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1},
                                       {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 1},
                                       {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2},
                                       {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 2},
                                       {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 2},
                                       {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 4}};

std::vector<std::string> names_of_flop_metrics() {
  std::vector<std::string> names;
  for (const FlopMetric& metric : flop_metrics) names.emplace_back(metric.name);
  return names;
}

double value_of(const CounterValues& values, const char* metric) {
  const auto found = values.find(metric);
  return found == values.end() ? 0.0 : found->second;
}

}  // namespace

const std::vector<MetricSet>& metric_sets() {
  static const std::vector<MetricSet> sets{
      {"dram",
       "bytes read from and written to device memory",
       {"dram__bytes_read.sum", "dram__bytes_write.sum"}},
      {"l2",
       "sectors of 32 bytes that the L2 cache read and wrote, and the share that hit",
       {"lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum", "lts__t_sector_hit_rate.pct"}},
      {"shared",
       "wavefronts of shared memory (128 bytes each) and those that bank conflicts added",
       {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"}},
      {"flops",
       "additions, multiplications and fused multiply-adds by precision, vector units only",
       names_of_flop_metrics()},
      {"roofline",
       "device memory, L2 hits, shared memory, fp64 operations, cycles and time at once",
       {"dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sector_hit_rate.pct",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
        "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "sm__cycles_elapsed.max",
        "gpu__time_duration.sum"}}};
  return sets;
}

const MetricSet& find_metric_set(std::string_view name) {
  std::vector<std::string> names;
  for (const MetricSet& set : metric_sets()) {
    if (set.name == name) return set;
    names.push_back(set.name);
  }
  throw UsageError("unknown set of GPU metrics '" + std::string(name) + "'" +
                   suggestion(name, names));
}

double flops_of(const CounterValues& values) {
  double flops = 0.0;
  for (const FlopMetric& metric : flop_metrics)
    flops += metric.flops * value_of(values, metric.name);
  return flops;
}

double dram_bytes_of(const CounterValues& values) {
  return value_of(values, "dram__bytes_read.sum") + value_of(values, "dram__bytes_write.sum");
}

bool counters_permitted(std::string_view driver_parameters, bool is_administrator) {
  if (is_administrator) return true;
  std::istringstream lines{std::string(driver_parameters)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && line.substr(0, colon) == "RmProfilingAdminOnly")
      return line.find('1', colon) == std::string::npos;
  }
  return true;  // drivers before 418.43 have no such parameter and let everyone count
}

}  // namespace hpclab::cuda
