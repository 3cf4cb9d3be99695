// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_sweep_passes.hpp"
#include "operators/cpu_vector_scalar.hpp"

namespace hpclab::operators {

const SweepTable<double> sweep_fp64_scalar = sweep_table<ScalarVector<double>>();

}  // namespace hpclab::operators
