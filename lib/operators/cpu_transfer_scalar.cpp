// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_transfer_passes.hpp"
#include "operators/cpu_vector_scalar.hpp"

namespace hpclab::operators {

const TransferTable<double> transfer_fp64_scalar = transfer_table<ScalarVector<double>>();
const TransferTable<float> transfer_fp32_scalar = transfer_table<ScalarVector<float>>();

}  // namespace hpclab::operators
