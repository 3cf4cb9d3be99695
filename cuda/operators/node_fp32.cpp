// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/node_instances.cuh"

namespace hpclab::operators::on_emulator {

template <>
ElementFunction<float> find<KernelTable::node, float>(const ElementInstance& instance) {
  return node_instance<float>(instance);
}

}  // namespace hpclab::operators::on_emulator
