// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Measured ceilings of a GPU, one function a quantity. The same code runs on the device, where it
// verifies and then times, and on the emulator, where it verifies only.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "cuda/core/runtime.hpp"
#include "roofline/ceilings/parameters.hpp"

namespace hpclab::roofline::ceilings {

/// Makes the machine (the emulator with the context's seed, or device 0) and measures. Throws
/// NotAvailable with the driver's state when there is no device.
Result measure_gpu(const Parameters& p, Backend backend, const Context& context);
/// On a machine that the caller has.
Result measure_gpu(const Parameters& p, cuda::Runtime& runtime, const Context& context);

Result measure_gpu_streams(const Parameters& p, cuda::Runtime& runtime, const Context& context);
Result measure_gpu_shared(const Parameters& p, cuda::Runtime& runtime, const Context& context);
Result measure_gpu_vector_flops(const Parameters& p, cuda::Runtime& runtime,
                                const Context& context);
Result measure_gpu_tensor_flops(const Parameters& p, cuda::Runtime& runtime,
                                const Context& context);
Result measure_gpu_latency(const Parameters& p, cuda::Runtime& runtime, const Context& context);
Result measure_gpu_concurrency(const Parameters& p, cuda::Runtime& runtime, const Context& context);
Result measure_gpu_launch(const Parameters& p, cuda::Runtime& runtime, const Context& context);
Result measure_gpu_link(const Parameters& p, cuda::Runtime& runtime, const Context& context);
Result measure_gpu_clock(cuda::Runtime& runtime, const Context& context);

/// Bytes of data that a quantity works on at dram or l2: as the parameter says, else well outside
/// or well inside the L2 cache. Throws CaseSkipped for levels that have no kernel.
double gpu_working_set_bytes(const Parameters& p, const cuda::DeviceFacts& facts, int arrays);

inline bool is_emulator(const cuda::Runtime& runtime) {
  return runtime.backend() == cuda::Backend::emulator;
}

}  // namespace hpclab::roofline::ceilings
