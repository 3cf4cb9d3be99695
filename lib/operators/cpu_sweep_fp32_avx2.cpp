// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_sweep_passes.hpp"
#include "operators/cpu_vector_avx2.hpp"

namespace hpclab::operators {

const SweepTable<float> sweep_fp32_avx2 = sweep_table<Avx2Float>();

}  // namespace hpclab::operators
