// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/node_instances.cuh"

namespace hpclab::operators::on_device {

template <>
const void* find<KernelTable::node, float>(const ElementInstance& instance) {
  return reinterpret_cast<const void*>(node_instance<float>(instance));
}

}  // namespace hpclab::operators::on_device
