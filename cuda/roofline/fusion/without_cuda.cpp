// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A build without CUDA has no device symbols; make_device() throws before anyone could use them.
#include "cuda/roofline/fusion/on_device.hpp"

namespace hpclab::roofline::fusion::on_device {

const void* chain_fp64(int) {
  return nullptr;
}
const void* chain_fp32(int) {
  return nullptr;
}

}  // namespace hpclab::roofline::fusion::on_device
