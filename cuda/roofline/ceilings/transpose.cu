// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Transposes: device symbols.
#include "cuda/roofline/ceilings/on_device.hpp"
#include "cuda/roofline/ceilings/transpose.cuh"

namespace hpclab::roofline::ceilings::on_device {

const void* block_transpose(bool padded) {
  return reinterpret_cast<const void*>(block_transpose_body(padded));
}
const void* warp_transpose(bool padded) {
  return reinterpret_cast<const void*>(warp_transpose_body(padded));
}

}  // namespace hpclab::roofline::ceilings::on_device
