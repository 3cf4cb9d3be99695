// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_gradient_passes.hpp"
#include "operators/cpu_vector_avx2.hpp"

namespace hpclab::operators {

const GradientTable<float> gradient_fp32_avx2 = gradient_table<Avx2Float>();

}  // namespace hpclab::operators
