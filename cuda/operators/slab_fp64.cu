// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/slab_instances.cuh"

namespace hpclab::operators::on_device {

template <>
const void* find<KernelTable::slab, double>(const ElementInstance& instance) {
  return reinterpret_cast<const void*>(slab_instance<double>(instance));
}

}  // namespace hpclab::operators::on_device
