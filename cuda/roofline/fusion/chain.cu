// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Chains of elementwise operations: device symbols.
#include "cuda/roofline/fusion/chain.cuh"
#include "cuda/roofline/fusion/on_device.hpp"

namespace hpclab::roofline::fusion::on_device {

const void* chain_fp64(int unroll) {
  return reinterpret_cast<const void*>(chain_body<double>(unroll));
}
const void* chain_fp32(int unroll) {
  return reinterpret_cast<const void*>(chain_body<float>(unroll));
}

}  // namespace hpclab::roofline::fusion::on_device
