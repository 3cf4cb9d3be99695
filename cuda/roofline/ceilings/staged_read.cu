// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Staged read: device symbols.
#include "cuda/roofline/ceilings/on_device.hpp"
#include "cuda/roofline/ceilings/staged_read.cuh"

namespace hpclab::roofline::ceilings::on_device {

const void* staged_read(int stages) {
  return reinterpret_cast<const void*>(staged_read_body(stages));
}

}  // namespace hpclab::roofline::ceilings::on_device
