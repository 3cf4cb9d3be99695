// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/gpu_audit.hpp"

#include "core/error.hpp"

#include <memory>
#include <set>

namespace hpclab::roofline::operator_ {
namespace {

constexpr const char* l2_read = "lts__t_sectors_op_read.sum";
constexpr const char* l2_write = "lts__t_sectors_op_write.sum";
constexpr const char* l2_atomics = "lts__t_sectors_op_red.sum";
constexpr const char* shared_loads = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
constexpr const char* shared_stores = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
constexpr const char* tensor_operations = "sm__ops_path_tensor_src_fp64.sum";
constexpr double sector_bytes = 32;

double value_of(const cuda::CounterValues& values, const char* metric) {
  const auto found = values.find(metric);
  return found == values.end() ? 0.0 : found->second;
}

}  // namespace

std::vector<std::string> audited_metrics() {
  std::set<std::string> metrics{l2_read,      l2_write,      l2_atomics,
                                shared_loads, shared_stores, tensor_operations};
  for (const char* name : {"dram", "flops"}) {
    const auto& of_set = cuda::find_metric_set(name).metrics;
    metrics.insert(of_set.begin(), of_set.end());
  }
  return {metrics.begin(), metrics.end()};
}

Table audit_table(const operators::VariantWork& work, double elements,
                  const cuda::CounterValues& counted) {
  Table table{{"quantity", "unit", "declared", "counted", "ratio"}, {"", "", "", "", ""}, {}};
  const auto add = [&](const char* quantity, const char* unit, double declared, double count) {
    if (declared > 0) table.rows.push_back({quantity, unit, declared, count, count / declared});
  };
  add("dram", "B", work.dram_bytes * elements, cuda::dram_bytes_of(counted));
  add("l2", "B", work.l2_bytes * elements,
      sector_bytes * (value_of(counted, l2_read) + value_of(counted, l2_write) +
                      value_of(counted, l2_atomics)));
  add("shared memory", "wavefronts", work.shared_wavefronts * elements,
      value_of(counted, shared_loads) + value_of(counted, shared_stores));
  add("vector units", "flop", work.vector_flops() * elements, cuda::flops_of(counted));
  // Nsight Compute's rooflines take two flops for each of these operations.
  add("tensor cores", "multiply-adds", work.tensor_multiply_adds * elements,
      value_of(counted, tensor_operations));
  return table;
}

void audit(Result& result, const operators::VariantWork& work, double elements,
           const std::function<void()>& apply) {
  try {
    const cuda::CounterState state = cuda::query_counter_state();
    if (state.condition != cuda::CounterCondition::available)
      throw NotAvailable(state.reason, state.mend);
    const auto counters = cuda::load_counters();
    const auto configuration = counters->configure(counters->chip_of_device(0), audited_metrics());
    result.set_table("counters", audit_table(work, elements, configuration->count(apply)));
  } catch (const NotAvailable& missing) {
    result.add_note(std::string("no counters beside the declared work: ") + missing.what());
  }
}

}  // namespace hpclab::roofline::operator_
