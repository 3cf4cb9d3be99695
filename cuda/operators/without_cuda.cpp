// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A build without CUDA has no device symbols; make_device() throws before anyone could use them.
#include "cuda/operators/kernel_tables.hpp"
#include "cuda/operators/on_device.hpp"

namespace hpclab::operators::on_device {

const void* assemble(Precision) {
  return nullptr;
}

template <KernelTable table, class T>
const void* find(const ElementInstance&) {
  return nullptr;
}
template const void* find<KernelTable::collocated, double>(const ElementInstance&);
template const void* find<KernelTable::collocated, float>(const ElementInstance&);
template const void* find<KernelTable::mass, double>(const ElementInstance&);
template const void* find<KernelTable::mass, float>(const ElementInstance&);
template const void* find<KernelTable::interpolated, double>(const ElementInstance&);
template const void* find<KernelTable::interpolated, float>(const ElementInstance&);
template const void* find<KernelTable::textbook, double>(const ElementInstance&);
template const void* find<KernelTable::textbook, float>(const ElementInstance&);
template const void* find<KernelTable::node, double>(const ElementInstance&);
template const void* find<KernelTable::node, float>(const ElementInstance&);
template const void* find<KernelTable::slab, double>(const ElementInstance&);
template const void* find<KernelTable::slab, float>(const ElementInstance&);
template const void* find<KernelTable::tensor, double>(const ElementInstance&);

}  // namespace hpclab::operators::on_device
