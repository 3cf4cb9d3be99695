// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Sweeps of stencils: device symbols.
#include "cuda/roofline/residency/on_device.hpp"
#include "cuda/roofline/residency/stencil.cuh"

namespace hpclab::roofline::residency::on_device {

const void* stencil_fp64(std::uint32_t dimensions) {
  return reinterpret_cast<const void*>(stencil_body<double>(dimensions));
}
const void* stencil_fp32(std::uint32_t dimensions) {
  return reinterpret_cast<const void*>(stencil_body<float>(dimensions));
}

}  // namespace hpclab::roofline::residency::on_device
