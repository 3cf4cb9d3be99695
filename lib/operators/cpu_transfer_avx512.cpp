// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_transfer_passes.hpp"
#include "operators/cpu_vector_avx512.hpp"

namespace hpclab::operators {

const TransferTable<double> transfer_fp64_avx512 = transfer_table<Avx512Double>();
const TransferTable<float> transfer_fp32_avx512 = transfer_table<Avx512Float>();

}  // namespace hpclab::operators
