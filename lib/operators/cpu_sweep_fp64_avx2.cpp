// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_sweep_passes.hpp"
#include "operators/cpu_vector_avx2.hpp"

namespace hpclab::operators {

const SweepTable<double> sweep_fp64_avx2 = sweep_table<Avx2Double>();

}  // namespace hpclab::operators
