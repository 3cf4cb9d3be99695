// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/slab_instances.cuh"

namespace hpclab::operators::on_emulator {

template <>
ElementFunction<double> find<KernelTable::slab, double>(const ElementInstance& instance) {
  return slab_instance<double>(instance);
}

}  // namespace hpclab::operators::on_emulator
