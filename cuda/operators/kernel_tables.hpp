// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The kernels that exist, in both forms. Each table has two sources for each precision, a .cpp for
// the emulator and a .cu for the device, so that compilers work on them at the same time.
#pragma once

#include "cuda/operators/arguments.hpp"
#include "cuda/operators/element_instance.hpp"

namespace hpclab::operators {

template <class T>
using ElementFunction = void (*)(ElementArguments<T>, ElementMatrices<T>);

enum class KernelTable {
  collocated,    ///< pencil, Laplacian at the nodes by 6 sweeps
  mass,          ///< pencil
  interpolated,  ///< pencil, Laplacian by 12 sweeps
  textbook,      ///< pencil, Laplacians by 18 sweeps
  node,
  slab,
  tensor,  ///< double only
};

namespace on_emulator {
/// Null for instances that do not exist. T is double or float.
template <KernelTable table, class T>
ElementFunction<T> find(const ElementInstance& instance);
}  // namespace on_emulator

namespace on_device {
/// Null for instances that do not exist, and always in a build without CUDA.
template <KernelTable table, class T>
const void* find(const ElementInstance& instance);
}  // namespace on_device

}  // namespace hpclab::operators
