// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/tensor_instances.cuh"

namespace hpclab::operators::on_emulator {

template <>
ElementFunction<double> find<KernelTable::tensor, double>(const ElementInstance& instance) {
  return tensor_instance(instance);
}

}  // namespace hpclab::operators::on_emulator
