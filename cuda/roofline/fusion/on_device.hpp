// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Device symbols of the kernels of kernels.hpp; null for variants that do not exist, and all null
// in a build without CUDA.
#pragma once

namespace hpclab::roofline::fusion::on_device {

const void* chain_fp64(int unroll);
const void* chain_fp32(int unroll);

}  // namespace hpclab::roofline::fusion::on_device
