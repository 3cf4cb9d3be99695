// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Latency kernels: device symbols.
#include "cuda/roofline/ceilings/latency.cuh"
#include "cuda/roofline/ceilings/on_device.hpp"

namespace hpclab::roofline::ceilings::on_device {

const void* pointer_chase(int chains) {
  return reinterpret_cast<const void*>(pointer_chase_body(chains));
}
const void* grid_exchange() {
  return reinterpret_cast<const void*>(&grid_exchange_kernel);
}
const void* empty() {
  return reinterpret_cast<const void*>(&empty_kernel);
}

}  // namespace hpclab::roofline::ceilings::on_device
