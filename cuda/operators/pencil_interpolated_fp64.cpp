// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/pencil_instances.cuh"

namespace hpclab::operators::on_emulator {

template <>
ElementFunction<double> find<KernelTable::interpolated, double>(const ElementInstance& instance) {
  return pencil_instance<KernelTable::interpolated, double>(instance);
}

}  // namespace hpclab::operators::on_emulator
