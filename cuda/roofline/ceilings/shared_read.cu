// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Shared-memory read: device symbols.
#include "cuda/roofline/ceilings/on_device.hpp"
#include "cuda/roofline/ceilings/shared_read.cuh"

namespace hpclab::roofline::ceilings::on_device {

const void* shared_read(int word_bytes) {
  return reinterpret_cast<const void*>(shared_read_body(word_bytes));
}

}  // namespace hpclab::roofline::ceilings::on_device
