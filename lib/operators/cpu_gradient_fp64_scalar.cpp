// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_gradient_passes.hpp"
#include "operators/cpu_vector_scalar.hpp"

namespace hpclab::operators {

const GradientTable<double> gradient_fp64_scalar = gradient_table<ScalarVector<double>>();

}  // namespace hpclab::operators
