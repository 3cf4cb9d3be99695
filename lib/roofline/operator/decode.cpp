// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/decode.hpp"

#include "operators/element_work.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::roofline::operator_ {

double sweep_flop_ratio(const operators::ElementOperator& o) {
  operators::ElementOperator fewest = o;
  fewest.kind = operators::OperatorKind::bk5;
  fewest.sweeps = 6;
  const auto sweep_flops = [](const operators::ElementOperator& each) {
    double flops = 0;
    for (const operators::Contraction& sweep : operators::contractions(each))
      flops += 2.0 * sweep.rows * sweep.columns * sweep.lines;
    return flops;
  };
  return sweep_flops(o) / sweep_flops(fewest);
}

void decode(const Parameters& p, const Prediction& prediction, Result& result) {
  const operators::ElementOperator o = element_operator(p);
  const double unknowns = operators::dof_per_element(o) * static_cast<double>(p.elements);
  const double observed_s = p.observed_ps * 1e-12 * unknowns;
  const double textbook = operators::element_work(o).textbook_flops / operators::dof_per_element(o);

  Table table{
      {"resource", "work_per_dof", "work_unit", "rate", "share"}, {"", "", "", "1/s", ""}, {}};
  std::string shares;
  for (const Resource& r : prediction.resources) {
    const double share = r.time_s() / observed_s;
    table.rows.push_back({r.name, r.work / unknowns, r.unit, r.rate, share});
    shares += fmt::format("{}{} {:.1f} %", shares.empty() ? "" : ", ", r.name, 100 * share);
    if (r.name == "shared memory") result.set_value("fraction_observed_shared_ratio", share);
    if (r.name == "dram") result.set_value("fraction_observed_dram_ratio", share);
  }
  result.set_table("decoded", table);
  result.set_value("fraction_observed_bound_ratio", prediction.bound_s / observed_s);
  result.set_value("observed_flops_per_s", textbook / (p.observed_ps * 1e-12));
  result.set_value("observed_dof_per_s", 1 / (p.observed_ps * 1e-12));
  const double fewer = sweep_flop_ratio(o);
  std::string verdict = fmt::format("{:g} ps/DOF observed: {}", p.observed_ps, shares);
  if (fewer > 1) {
    verdict += fmt::format("; counting 6 sweeps for {} would be {:.3g}x low", o.sweeps, fewer);
  }
  result.set_text("verdict", verdict);
}

}  // namespace hpclab::roofline::operator_
