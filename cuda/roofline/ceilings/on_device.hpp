// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Device symbols of the kernels of kernels.hpp, made by nvcc in the .cu files; null for variants
// that do not exist, and all null in a build without CUDA.
#pragma once

#include "cuda/roofline/ceilings/arguments.hpp"

namespace hpclab::roofline::ceilings::on_device {

const void* stream(StreamKind kind, int unroll);
const void* triad(int unroll);
const void* mix(int reads);
const void* staged_read(int stages);
const void* shared_read(int word_bytes);
const void* block_transpose(bool padded);
const void* warp_transpose(bool padded);
const void* fma(Precision precision);
const void* pointer_chase(int chains);
const void* grid_exchange();
const void* empty();

}  // namespace hpclab::roofline::ceilings::on_device
