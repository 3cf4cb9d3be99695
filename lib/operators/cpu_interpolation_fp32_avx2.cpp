// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_interpolation_passes.hpp"
#include "operators/cpu_vector_avx2.hpp"

namespace hpclab::operators {

const InterpolationTable<float> interpolation_fp32_avx2 = interpolation_table<Avx2Float>();

}  // namespace hpclab::operators
