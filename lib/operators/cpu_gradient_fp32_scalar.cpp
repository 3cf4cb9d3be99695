// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_gradient_passes.hpp"
#include "operators/cpu_vector_scalar.hpp"

namespace hpclab::operators {

const GradientTable<float> gradient_fp32_scalar = gradient_table<ScalarVector<float>>();

}  // namespace hpclab::operators
