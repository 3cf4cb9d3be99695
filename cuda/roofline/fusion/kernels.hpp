// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The kernel of the fusion study, in both forms, and its work.
#pragma once

#include "cuda/core/launch.hpp"
#include "cuda/core/work.hpp"
#include "cuda/roofline/fusion/arguments.hpp"

namespace hpclab::roofline::fusion {

namespace kernels {

/// T is double or float; `unroll` (1, 2, 4) vectors of 16 bytes for each thread; one-dimensional
/// grid, any block up to 512 threads whose number is at least the elements of a vector. Throws
/// UsageError for other unrolls.
template <class T>
cuda::Kernel<ChainLaunch<T>> chain(int unroll);

}  // namespace kernels

namespace work {

/// Flops of a launch, and the bytes of its arrays: each that it reads once, and what it writes.
template <class T>
cuda::KernelWork chain(const ChainLaunch<T>& launch);

}  // namespace work

}  // namespace hpclab::roofline::fusion
