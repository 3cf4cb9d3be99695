// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Device symbols of the kernels of kernels.hpp; null for variants that do not exist, and all null
// in a build without CUDA.
#pragma once

#include <cstdint>

namespace hpclab::roofline::residency::on_device {

const void* stencil_fp64(std::uint32_t dimensions);
const void* stencil_fp32(std::uint32_t dimensions);

}  // namespace hpclab::roofline::residency::on_device
