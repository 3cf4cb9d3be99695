// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Sweeps of stencils: emulator form, launch shape and work.
#include "cuda/roofline/residency/stencil.cuh"

#include "cuda/roofline/ceilings/kernel_pair.hpp"
#include "cuda/roofline/residency/kernels.hpp"
#include "cuda/roofline/residency/on_device.hpp"

#include <algorithm>

namespace hpclab::roofline::residency {
namespace kernels {
namespace {

constexpr const char* variants = "it has 2 or 3 dimensions";

unsigned blocks_for(std::uint32_t points, unsigned each) {
  return std::max(1u, (points + each - 1) / each);
}

}  // namespace

template <>
cuda::Kernel<StencilSweep<double>> stencil<double>(std::uint32_t dimensions) {
  return ceilings::kernel_pair(fmt::format("fp64 stencil in {} dimensions", dimensions),
                               stencil_body<double>(dimensions),
                               on_device::stencil_fp64(dimensions), variants);
}

template <>
cuda::Kernel<StencilSweep<float>> stencil<float>(std::uint32_t dimensions) {
  return ceilings::kernel_pair(fmt::format("fp32 stencil in {} dimensions", dimensions),
                               stencil_body<float>(dimensions), on_device::stencil_fp32(dimensions),
                               variants);
}

template <class T>
cuda::LaunchShape stencil_shape(const StencilSweep<T>& sweep, unsigned threads,
                                cuda::StreamHandle stream) {
  const unsigned slabs = blocks_for(sweep.end - sweep.begin, stencil_depth);
  if (sweep.dimensions == 2)
    return {{blocks_for(sweep.edge, threads), slabs}, {threads}, 0, stream};
  const unsigned rows = threads / 32;
  return {{blocks_for(sweep.edge, 32), blocks_for(sweep.edge, rows), slabs}, {32, rows}, 0, stream};
}

template cuda::LaunchShape stencil_shape(const StencilSweep<double>&, unsigned, cuda::StreamHandle);
template cuda::LaunchShape stencil_shape(const StencilSweep<float>&, unsigned, cuda::StreamHandle);

}  // namespace kernels

namespace work {

template <class T>
cuda::KernelWork stencil(const StencilSweep<T>& sweep) {
  double plane = 1;
  for (std::uint32_t d = 1; d < sweep.dimensions; ++d) plane *= sweep.edge;
  const double points = plane * (sweep.end - sweep.begin);
  cuda::KernelWork work;
  work.flops = points * (2.0 * sweep.dimensions - 1 + 3);  // additions, two products, their sum
  work.read_bytes = points * sizeof(T);
  work.write_bytes = points * sizeof(T);
  return work;
}

template cuda::KernelWork stencil(const StencilSweep<double>& sweep);
template cuda::KernelWork stencil(const StencilSweep<float>& sweep);

}  // namespace work

}  // namespace hpclab::roofline::residency
