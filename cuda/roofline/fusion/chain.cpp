// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Chains of elementwise operations: emulator form and work.
#include "cuda/roofline/fusion/chain.cuh"

#include "cuda/roofline/ceilings/kernel_pair.hpp"
#include "cuda/roofline/fusion/kernels.hpp"
#include "cuda/roofline/fusion/on_device.hpp"

namespace hpclab::roofline::fusion {
namespace kernels {
namespace {

constexpr const char* variants = "it has 1, 2 or 4 vectors a thread";

std::string name_of(const char* precision, int unroll) {
  return fmt::format("{} chain with {} vectors a thread", precision, unroll);
}

}  // namespace

template <>
cuda::Kernel<ChainLaunch<double>> chain<double>(int unroll) {
  return ceilings::kernel_pair(name_of("fp64", unroll), chain_body<double>(unroll),
                               on_device::chain_fp64(unroll), variants);
}

template <>
cuda::Kernel<ChainLaunch<float>> chain<float>(int unroll) {
  return ceilings::kernel_pair(name_of("fp32", unroll), chain_body<float>(unroll),
                               on_device::chain_fp32(unroll), variants);
}

}  // namespace kernels

namespace work {

template <class T>
cuda::KernelWork chain(const ChainLaunch<T>& launch) {
  unsigned read = 0;  // one bit an array
  for (int s = 0; s < launch.count; ++s) {
    const int operand = launch.steps[s].operand;
    if (operand >= 0 && launch.operands[operand] != launch.in) read |= 1u << operand;
  }
  const double array_bytes = static_cast<double>(launch.elements) * sizeof(T);
  cuda::KernelWork work;
  work.flops = 2.0 * launch.count * static_cast<double>(launch.elements);
  work.read_bytes = array_bytes * (1 + __builtin_popcount(read));
  work.write_bytes = array_bytes;
  return work;
}

template cuda::KernelWork chain(const ChainLaunch<double>& launch);
template cuda::KernelWork chain(const ChainLaunch<float>& launch);

}  // namespace work

}  // namespace hpclab::roofline::fusion
