// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Are element operators verified on the emulator, never timed, and is what the audit compares
// right?
#include "core/error.hpp"
#include "roofline/operator/gpu_audit.hpp"
#include "roofline/operator/gpu_candidates.hpp"
#include "roofline/operator/gpu_experiment.hpp"
#include "roofline/operator/measure_gpu.hpp"
#include "support/catch.hpp"

#include <set>
#include <string>

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::roofline::operator_;
using operators::OperatorKind;

namespace {

Parameters parameters_of(OperatorKind kind, int degree, std::int64_t elements) {
  Parameters p;
  p.kind = kind;
  p.degree = degree;
  p.quadrature = operators::usual_quadrature(kind, degree);
  p.sweeps = operators::fewest_sweeps(kind);
  p.vector = operators::is_assembled(kind) ? "assembled" : "element";
  p.elements = elements;
  return p;
}

}  // namespace

TEST_CASE("operator on the emulator: is every kernel verified in every order, and none timed?") {
  const std::set<std::string> allowed{"verified_count", "max_error_ratio"};
  for (const OperatorKind kind : {OperatorKind::bk1, OperatorKind::bp3, OperatorKind::bp5}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      const Parameters p = parameters_of(kind, 3, 7);
      Context context;
      context.seed = seed;
      const Result result = measure_gpu(p, Backend::emulator, context);
      for (const auto& [name, value] : result.values().items()) CHECK(allowed.contains(name));
      CHECK(*result.value("verified_count") > 0);
      CHECK(*result.value("max_error_ratio") < 1e-13);
      CHECK(result.samples().empty());
      CHECK(result.work().empty());
      CHECK(result.tables()["kernels"]["rows"].size() == gpu_candidates(p).size());
    }
  }
}

TEST_CASE("operator on a GPU: is a wrong result found, whichever kernel it comes from?") {
  const auto runtime = cuda::make_emulator(1);
  const Parameters p = parameters_of(OperatorKind::bk5, 3, 8);
  const operators::BoxSplit split = operators::near_cubic_split(8);
  Context context;
  GpuExperiment<double> right(*runtime, element_operator(p), split, 1);
  const auto variants = gpu_candidates(p);
  const Verified verified = right.check(variants.front(), p.scatter, context);
  CHECK(verified.largest_error <= verified.tolerated_error);
  CHECK(right.check_again(variants.back(), p.scatter).nodes == 8 * 64);
  // Another input: what was right is so no longer.
  right.randomise(2);
  CHECK_THROWS_AS(right.check_again(variants.back(), p.scatter), CaseFailed);
}

TEST_CASE("operator on a GPU: does the audit set each declared count beside its counters?") {
  operators::VariantWork work;
  work.dram_bytes = 100;
  work.l2_bytes = 64;
  work.shared_wavefronts = 10;
  work.multiply_adds = 3;
  work.additions = 2;
  work.tensor_multiply_adds = 4;
  cuda::CounterValues counted;
  for (const std::string& metric : audited_metrics()) counted[metric] = 0;
  counted["dram__bytes_read.sum"] = 150;
  counted["dram__bytes_write.sum"] = 50;
  counted["lts__t_sectors_op_read.sum"] = 3;
  counted["lts__t_sectors_op_write.sum"] = 1;
  counted["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = 15;
  counted["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"] = 5;
  counted["smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"] = 6;
  counted["smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"] = 4;
  counted["sm__ops_path_tensor_src_fp64.sum"] = 8;
  const Table table = audit_table(work, 2, counted);
  REQUIRE(table.rows.size() == 5);
  for (const auto& row : table.rows) {
    INFO(row[0].dump());
    CHECK(row[4].get<double>() == 1);
  }
  work.tensor_multiply_adds = 0;
  CHECK(audit_table(work, 2, counted).rows.size() == 4);
}

TEST_CASE("operator on a GPU: do the GPUs that hpclab measures have the counters of the audit?") {
  try {
    const auto counters = cuda::load_counters();
    for (const char* chip : {"GH100", "GA100"})
      CHECK(counters->configure(chip, audited_metrics())->passes() > 0);
  } catch (const NotAvailable& missing) {
    WARN("not checked: " << missing.what());
  }
}

TEST_CASE("operator on a GPU: is memory said to be too small before anything is allocated?") {
  const operators::ElementOperator o = element_operator(parameters_of(OperatorKind::bp5, 7, 1));
  const operators::BoxSplit split{10, 10, 10};
  const auto atomics = gpu_experiment_bytes(o, split, operators::Scatter::atomics);
  // Vectors, six metric numbers a node, and the map.
  CHECK(atomics == 1000ull * 512 * (2 * 8 + 6 * 8 + 4));
  CHECK(gpu_experiment_bytes(o, split, operators::Scatter::pass) == atomics + 512'000ull * 16);
}
