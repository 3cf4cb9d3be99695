// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_sweep_passes.hpp"
#include "operators/cpu_vector_scalar.hpp"

namespace hpclab::operators {

const SweepTable<float> sweep_fp32_scalar = sweep_table<ScalarVector<float>>();

}  // namespace hpclab::operators
