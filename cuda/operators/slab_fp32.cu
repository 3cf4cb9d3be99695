// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/slab_instances.cuh"

namespace hpclab::operators::on_device {

template <>
const void* find<KernelTable::slab, float>(const ElementInstance& instance) {
  return reinterpret_cast<const void*>(slab_instance<float>(instance));
}

}  // namespace hpclab::operators::on_device
