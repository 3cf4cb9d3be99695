// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_interpolation_passes.hpp"
#include "operators/cpu_vector_scalar.hpp"

namespace hpclab::operators {

const InterpolationTable<float> interpolation_fp32_scalar =
    interpolation_table<ScalarVector<float>>();

}  // namespace hpclab::operators
