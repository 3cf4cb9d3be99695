// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_sweep_passes.hpp"
#include "operators/cpu_vector_avx512.hpp"

namespace hpclab::operators {

const SweepTable<double> sweep_fp64_avx512 = sweep_table<Avx512Double>();

}  // namespace hpclab::operators
