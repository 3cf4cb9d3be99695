// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Shared-memory kernels: emulator form and work.
#include "cuda/roofline/ceilings/kernel_pair.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"
#include "cuda/roofline/ceilings/on_device.hpp"
#include "cuda/roofline/ceilings/shared_read.cuh"
#include "cuda/roofline/ceilings/transpose.cuh"

namespace hpclab::roofline::ceilings {

namespace kernels {

Kernel<SharedRead> shared_read(int word_bytes) {
  return kernel_pair(fmt::format("shared read of {} bytes a lane", word_bytes),
                     shared_read_body(word_bytes), on_device::shared_read(word_bytes),
                     "lanes read 4 or 16 bytes");
}

Kernel<Transpose> block_transpose(bool padded) {
  return kernel_pair(padded ? "block transpose, padded" : "block transpose",
                     block_transpose_body(padded), on_device::block_transpose(padded), "");
}

Kernel<Transpose> warp_transpose(bool padded) {
  return kernel_pair(padded ? "warp transpose, padded" : "warp transpose",
                     warp_transpose_body(padded), on_device::warp_transpose(padded), "");
}

std::size_t warp_transpose_shared_bytes(bool padded, unsigned threads) {
  const std::size_t row = transpose_tile + (padded ? 1 : 0);
  return sizeof(std::uint32_t) * (threads / 32) * transpose_tile * row;
}

}  // namespace kernels

namespace work {

KernelWork shared_read(int word_bytes, const SharedRead& s, std::uint64_t threads) {
  const double warp_loads = static_cast<double>(threads) / 32 * s.iterations * shared_read_unroll;
  KernelWork work;
  const int words_of_a_bank = word_bytes / 4;
  work.shared_wavefronts = warp_loads * words_of_a_bank * s.ways;
  return work;
}

KernelWork transpose(bool padded, const Transpose& t) {
  const double words = static_cast<double>(t.rows) * t.columns;
  KernelWork work;
  work.read_bytes = work.write_bytes = words * sizeof(std::uint32_t);
  // Rows go in without conflict; columns come out through one bank unless padded.
  work.shared_wavefronts = words / 32 * (1 + (padded ? 1 : 32));
  return work;
}

}  // namespace work

}  // namespace hpclab::roofline::ceilings
