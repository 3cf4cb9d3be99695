// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_gradient_passes.hpp"
#include "operators/cpu_vector_avx512.hpp"

namespace hpclab::operators {

const GradientTable<float> gradient_fp32_avx512 = gradient_table<Avx512Float>();

}  // namespace hpclab::operators
