// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a launch does, declared beside the kernel: read by models, reports and counter checks alike.
#pragma once

namespace hpclab::cuda {

struct KernelWork {
  double flops = 0;              ///< a fused multiply-add counts two, a packed one four
  double read_bytes = 0;         ///< from global memory, by the level that holds the data
  double write_bytes = 0;        ///< to global memory
  double shared_wavefronts = 0;  ///< passes of 128 bytes through shared memory, conflicts included
};

/// Bytes of one wavefront: 32 banks of 4 bytes.
inline constexpr double wavefront_bytes = 128;

}  // namespace hpclab::cuda
