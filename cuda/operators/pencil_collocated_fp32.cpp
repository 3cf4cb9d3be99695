// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/pencil_instances.cuh"

namespace hpclab::operators::on_emulator {

template <>
ElementFunction<float> find<KernelTable::collocated, float>(const ElementInstance& instance) {
  return pencil_instance<KernelTable::collocated, float>(instance);
}

}  // namespace hpclab::operators::on_emulator
