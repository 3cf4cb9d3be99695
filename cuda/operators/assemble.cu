// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/assemble.cuh"
#include "cuda/operators/on_device.hpp"

namespace hpclab::operators::on_device {

const void* assemble(Precision precision) {
  return precision == Precision::fp64 ? reinterpret_cast<const void*>(&assemble_kernel<double>)
                                      : reinterpret_cast<const void*>(&assemble_kernel<float>);
}

}  // namespace hpclab::operators::on_device
