// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_transfer_passes.hpp"
#include "operators/cpu_vector_avx2.hpp"

namespace hpclab::operators {

const TransferTable<double> transfer_fp64_avx2 = transfer_table<Avx2Double>();
const TransferTable<float> transfer_fp32_avx2 = transfer_table<Avx2Float>();

}  // namespace hpclab::operators
