// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_interpolation_passes.hpp"
#include "operators/cpu_vector_scalar.hpp"

namespace hpclab::operators {

const InterpolationTable<double> interpolation_fp64_scalar =
    interpolation_table<ScalarVector<double>>();

}  // namespace hpclab::operators
