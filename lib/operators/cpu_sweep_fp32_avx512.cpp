// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_sweep_passes.hpp"
#include "operators/cpu_vector_avx512.hpp"

namespace hpclab::operators {

const SweepTable<float> sweep_fp32_avx512 = sweep_table<Avx512Float>();

}  // namespace hpclab::operators
