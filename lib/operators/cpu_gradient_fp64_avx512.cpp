// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_gradient_passes.hpp"
#include "operators/cpu_vector_avx512.hpp"

namespace hpclab::operators {

const GradientTable<double> gradient_fp64_avx512 = gradient_table<Avx512Double>();

}  // namespace hpclab::operators
