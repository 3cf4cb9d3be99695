// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/measure.hpp"

#include "core/pairing.hpp"
#include "roofline/operator/measure_gpu.hpp"

#include <nlohmann/json.hpp>

namespace hpclab::roofline::operator_ {

Result measure(const Parameters& p, Backend backend, Context& context) {
  return backend == Backend::cpu ? measure_cpu(p, context) : measure_gpu(p, backend, context);
}

void compare(const Json& prediction, Result& measured) {
  const auto time = measured.value("time_per_dof_ps");
  if (!time) return;
  const Json& values = prediction["values"];
  const double predicted = values["time_per_dof_ps"].get<double>();
  if (const auto error = error_ratio(*time, predicted))
    measured.set_value("model_error_ratio", *error);
  measured.set_value("fraction_of_bound_ratio",
                     values["fraction_of_bound_ratio"].get<double>() * predicted / *time);
  for (const char* name : {"bound", "next_limit"})
    measured.set_text(name, prediction["text"][name].get<std::string>());
}

}  // namespace hpclab::roofline::operator_
