// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_interpolation_passes.hpp"
#include "operators/cpu_vector_avx2.hpp"

namespace hpclab::operators {

const InterpolationTable<double> interpolation_fp64_avx2 = interpolation_table<Avx2Double>();

}  // namespace hpclab::operators
