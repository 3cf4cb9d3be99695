// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/tensor_instances.cuh"

namespace hpclab::operators::on_device {

template <>
const void* find<KernelTable::tensor, double>(const ElementInstance& instance) {
  return reinterpret_cast<const void*>(tensor_instance(instance));
}

}  // namespace hpclab::operators::on_device
