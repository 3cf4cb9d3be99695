// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Device symbols of the kernels of kernels.hpp; null for variants that do not exist, and all null
// in a build without CUDA.
#pragma once

namespace hpclab::kvcache::decode::on_device {

const void* span(bool bfloat, int key_dim, int value_dim);
const void* merge();
const void* read();

}  // namespace hpclab::kvcache::decode::on_device
