// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/pencil_instances.cuh"

namespace hpclab::operators::on_device {

template <>
const void* find<KernelTable::mass, float>(const ElementInstance& instance) {
  return reinterpret_cast<const void*>(pencil_instance<KernelTable::mass, float>(instance));
}

}  // namespace hpclab::operators::on_device
