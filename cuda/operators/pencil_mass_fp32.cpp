// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/pencil_instances.cuh"

namespace hpclab::operators::on_emulator {

template <>
ElementFunction<float> find<KernelTable::mass, float>(const ElementInstance& instance) {
  return pencil_instance<KernelTable::mass, float>(instance);
}

}  // namespace hpclab::operators::on_emulator
