// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A build without CUDA has no device symbols; make_device() throws before anyone could use them.
#include "cuda/roofline/residency/on_device.hpp"

namespace hpclab::roofline::residency::on_device {

const void* stencil_fp64(std::uint32_t) {
  return nullptr;
}
const void* stencil_fp32(std::uint32_t) {
  return nullptr;
}

}  // namespace hpclab::roofline::residency::on_device
