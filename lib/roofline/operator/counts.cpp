// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/counts.hpp"

#include "operators/element_work.hpp"

namespace hpclab::roofline::operator_ {

void set_counts(Result& result, const Parameters& p, double cache_bytes) {
  const operators::ElementOperator o = element_operator(p);
  const operators::ElementWork work = operators::element_work(o);
  const double elements = static_cast<double>(p.elements);
  const double dof = operators::dof_per_element(o);
  const double set = working_set_bytes(o, p.elements);

  result.set_value("dof_count", dof * elements);
  result.set_value("working_set_bytes", set);
  result.set_value("working_set_ratio", set / cache_bytes);
  result.set_value("flops_per_dof", work.flops / dof);
  result.set_value("textbook_flops_per_dof", work.textbook_flops / dof);
  result.set_value("dram_bytes_per_dof", work.dram_bytes() / dof);
  result.set_value("intensity_flops_per_byte", work.textbook_flops / work.dram_bytes());
  result.set_value("even_odd_ratio", operators::even_odd_operation_ratio(o.nodes()));
  result.set_work("flops", work.flops * elements);
  result.set_work("textbook_flops", work.textbook_flops * elements);
}

}  // namespace hpclab::roofline::operator_
