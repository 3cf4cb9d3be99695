// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Vector peaks and latencies: emulator form and work.
#include "cuda/roofline/ceilings/kernel_pair.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"
#include "cuda/roofline/ceilings/latency.cuh"
#include "cuda/roofline/ceilings/on_device.hpp"
#include "cuda/roofline/ceilings/peaks.cuh"

namespace hpclab::roofline::ceilings {

const char* name_of(Precision precision) {
  switch (precision) {
    case Precision::fp64:
      return "fp64";
    case Precision::fp32:
      return "fp32";
    case Precision::fp16:
      return "fp16";
    case Precision::bf16:
      break;
  }
  return "bf16";
}

namespace kernels {

Kernel<FmaChains> fma(Precision precision) {
  return kernel_pair(fmt::format("{} fused multiply-add", name_of(precision)), fma_body(precision),
                     on_device::fma(precision), "");
}

Kernel<PointerChase> pointer_chase(int chains) {
  return kernel_pair(fmt::format("pointer chase with {} chains", chains),
                     pointer_chase_body(chains), on_device::pointer_chase(chains),
                     "it has 1, 2, 4 or 8 chains");
}

Kernel<GridExchange> grid_exchange() {
  return kernel_pair("grid exchange", &grid_exchange_kernel, on_device::grid_exchange(), "");
}

Kernel<> empty() {
  return kernel_pair("empty", &empty_kernel, on_device::empty(), "");
}

}  // namespace kernels

namespace work {

KernelWork fma(Precision precision, const FmaChains& s, std::uint64_t threads) {
  const bool pairs = precision == Precision::fp16 || precision == Precision::bf16;
  KernelWork work;
  work.flops = static_cast<double>(threads) * s.loops * fma_rounds * fma_chains * (pairs ? 4 : 2);
  return work;
}

KernelWork pointer_chase(int chains, const PointerChase& s, std::uint64_t threads) {
  KernelWork work;
  work.read_bytes = 32.0 * static_cast<double>(threads) * chains * s.steps;
  return work;
}

}  // namespace work

}  // namespace hpclab::roofline::ceilings
