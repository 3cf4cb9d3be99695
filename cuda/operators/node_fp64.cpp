// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/node_instances.cuh"

namespace hpclab::operators::on_emulator {

template <>
ElementFunction<double> find<KernelTable::node, double>(const ElementInstance& instance) {
  return node_instance<double>(instance);
}

}  // namespace hpclab::operators::on_emulator
