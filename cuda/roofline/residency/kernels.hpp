// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The kernel of the residency study, in both forms, with its shape and its work.
#pragma once

#include "cuda/core/launch.hpp"
#include "cuda/core/work.hpp"
#include "cuda/roofline/residency/arguments.hpp"

namespace hpclab::roofline::residency {

namespace kernels {

/// T is double or float; dimensions 2 or 3, else UsageError.
template <class T>
cuda::Kernel<StencilSweep<T>> stencil(std::uint32_t dimensions);

/// Grid and block that cover the planes begin to end of the sweep; `threads` (a multiple of 32, up
/// to 512) in a block.
template <class T>
cuda::LaunchShape stencil_shape(const StencilSweep<T>& sweep, unsigned threads,
                                cuda::StreamHandle stream);

}  // namespace kernels

namespace work {

/// Flops, and each point read and written once: what a GPU moves whose caches hold three planes.
template <class T>
cuda::KernelWork stencil(const StencilSweep<T>& sweep);

}  // namespace work

}  // namespace hpclab::roofline::residency
