// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/model.hpp"

#include "operators/element_work.hpp"
#include "roofline/operator/counts.hpp"
#include "roofline/operator/decode.hpp"

#include <fmt/format.h>

namespace hpclab::roofline::operator_ {
namespace {

double work_on(const Prediction& prediction, std::string_view name) {
  const Resource* found = prediction.find(name);
  return found ? found->work : 0;
}

void set_times(Result& result, const Prediction& prediction, double unknowns) {
  const double ps = 1e12 / unknowns;
  result.set_value("time_s", prediction.time_s, prediction.low_s, prediction.high_s);
  result.set_value("time_per_dof_ps", prediction.time_s * ps, prediction.low_s * ps,
                   prediction.high_s * ps);
  result.set_value("throughput_dof_per_s", unknowns / prediction.time_s,
                   unknowns / prediction.high_s, unknowns / prediction.low_s);
}

std::string next_limit(const Prediction& prediction) {
  if (prediction.next.empty()) return "none";
  return fmt::format("{}, {:.2g}x away", prediction.next, prediction.bound_s / prediction.next_s);
}

}  // namespace

double last_level_bytes(const machine::MachineProfile& profile) {
  if (profile.kind == machine::MachineKind::gpu) return profile.require("l2", "size_bytes");
  const machine::Figure* instances = profile.find("l3", "instance_count");
  return profile.require("l3", "size_bytes") * (instances ? instances->value : 1);
}

Result model(const Parameters& p, Context& context) {
  const machine::MachineProfile& profile = *context.machine_profile;
  const operators::ElementOperator o = element_operator(p);
  const bool gpu = profile.kind == machine::MachineKind::gpu;
  const MachineWork asked = gpu ? gpu_resources(p, profile) : cpu_resources(p, profile);
  const Prediction prediction = combine(asked, p.overlap, overlap_residual_ratio);
  const operators::ElementWork work = operators::element_work(o);
  const double elements = static_cast<double>(p.elements);
  const double unknowns = operators::dof_per_element(o) * elements;
  const double dram_bytes = work_on(prediction, "dram");

  Result result;
  set_times(result, prediction, unknowns);
  result.set_value("flops_per_s", work.flops * elements / prediction.time_s);
  result.set_value("dram_bandwidth_bytes_per_s", dram_bytes / prediction.time_s);
  result.set_value("fraction_of_bound_ratio", prediction.bound_s / prediction.time_s);
  set_counts(result, p, last_level_bytes(profile));
  if (gpu) {
    result.set_value("shared_bytes_per_dof", work_on(prediction, "shared memory") / unknowns);
  }
  result.set_text("bound", prediction.bound);
  result.set_text("next_limit", next_limit(prediction));
  if (!asked.kernel.empty()) result.set_text("kernel", asked.kernel);
  result.set_table("resources", resource_table(prediction));
  if (prediction.passes.size() > 1) result.set_table("passes", pass_table(prediction));
  result.set_work("dram_bytes", dram_bytes);
  result.add_note(
      "valid for meshes of many elements a core or multiprocessor; caches share a swept working "
      "set "
      "as under random replacement");
  if (p.observed_ps > 0) decode(p, prediction, result);
  return result;
}

}  // namespace hpclab::roofline::operator_
