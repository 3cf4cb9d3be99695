// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/slab_instances.cuh"

namespace hpclab::operators::on_emulator {

template <>
ElementFunction<float> find<KernelTable::slab, float>(const ElementInstance& instance) {
  return slab_instance<float>(instance);
}

}  // namespace hpclab::operators::on_emulator
