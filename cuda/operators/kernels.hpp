// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Kernels that apply element operators, in device and emulator form. T is double or float, as the
// operator's precision says.
#pragma once

#include "cuda/core/launch.hpp"
#include "cuda/operators/arguments.hpp"
#include "cuda/operators/variants.hpp"

namespace hpclab::operators {

namespace kernels {

/// Launched with launch_shape(). Throws UsageError for a variant that was not built.
template <class T>
cuda::Kernel<ElementArguments<T>, ElementMatrices<T>> element(
    const ElementOperator& element_operator, const KernelVariant& variant);

/// One-dimensional, one thread an entry.
template <class T>
cuda::Kernel<AssembleArguments<T>> assemble();

}  // namespace kernels

/// Matrices, points and weights of the operator as kernels read them that do (or do not) contract
/// by even and odd halves.
template <class T>
ElementMatrices<T> element_matrices(const ElementOperator& element_operator, bool even_odd);

}  // namespace hpclab::operators
