// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Vector peaks: device symbols.
#include "cuda/roofline/ceilings/on_device.hpp"
#include "cuda/roofline/ceilings/peaks.cuh"

namespace hpclab::roofline::ceilings::on_device {

const void* fma(Precision precision) {
  return reinterpret_cast<const void*>(fma_body(precision));
}

}  // namespace hpclab::roofline::ceilings::on_device
