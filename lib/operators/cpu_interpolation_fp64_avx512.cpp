// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_interpolation_passes.hpp"
#include "operators/cpu_vector_avx512.hpp"

namespace hpclab::operators {

const InterpolationTable<double> interpolation_fp64_avx512 = interpolation_table<Avx512Double>();

}  // namespace hpclab::operators
