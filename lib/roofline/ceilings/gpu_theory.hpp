// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Theoretical ceilings of a GPU from what its driver states and its compute capability documents.
#pragma once

#include "cuda/core/runtime.hpp"
#include "roofline/ceilings/parameters.hpp"

#include <optional>

namespace hpclab::roofline::ceilings {

/// Dense operations a cycle of one multiprocessor; a fused multiply-add counts two. From the table
/// of arithmetic throughputs in the CUDA C++ Programming Guide (vector) and the architecture
/// whitepapers of GA100 and GH100 (tensor). nullopt where nothing is documented here.
std::optional<double> gpu_operations_per_cycle(int compute_major, int compute_minor,
                                               PeakPrecision precision, MultiplyUnit unit);

/// shared: multiprocessors x 128 B x clock, divided by the lanes that meet in a bank. dram: double
/// data rate at the memory clock that the driver states. nullopt for other levels (the caches'
/// rates are not documented) and where the driver states no memory clock.
std::optional<double> gpu_bandwidth_bytes_per_s(const cuda::DeviceFacts& facts, MemoryLevel level,
                                                std::int64_t conflict, double sm_clock_hz);

/// Multiprocessors x operations a cycle x clock.
std::optional<double> gpu_flops_per_s(const cuda::DeviceFacts& facts, PeakPrecision precision,
                                      MultiplyUnit unit, double sm_clock_hz);

}  // namespace hpclab::roofline::ceilings
