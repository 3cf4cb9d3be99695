// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The kernels that measure the ceilings of a GPU, with the work of each. Getters give device and
// emulator form of the same source; variants that do not exist throw UsageError with those that do.
#pragma once

#include "cuda/core/launch.hpp"
#include "cuda/core/work.hpp"
#include "cuda/roofline/ceilings/arguments.hpp"

#include <cstddef>
#include <cstdint>

namespace hpclab::roofline::ceilings {

namespace kernels {

using cuda::Kernel;

/// One-dimensional grid, blocks of whole warps; `unroll` (1, 2, 4, 8) vectors of 16 bytes in flight
/// for each thread.
Kernel<WordStream> stream(StreamKind kind, int unroll);
/// As stream, on doubles; `unroll` is 1, 2 or 4.
Kernel<TriadStream> triad(int unroll);
/// As stream, 8 vectors for each thread: the first `reads` (0 to 8) are read, the others written.
Kernel<WordStream> mix(int reads);
/// Read through 2, 4 or 8 tiles of shared memory filled by asynchronous copies; needs
/// staged_read_shared_bytes of dynamic shared memory.
Kernel<WordStream> staged_read(int stages);
/// Words of 4 bytes (any ways) or 16 bytes (one way); one-dimensional.
Kernel<SharedRead> shared_read(int word_bytes);
/// Blocks of transpose_tile x transpose_block_rows threads, any grid.
Kernel<Transpose> block_transpose(bool padded);
/// One-dimensional blocks of whole warps, with warp_transpose_shared_bytes of dynamic shared
/// memory.
Kernel<Transpose> warp_transpose(bool padded);
/// One-dimensional.
Kernel<FmaChains> fma(Precision precision);
/// `chains` (1, 2, 4, 8) independent chains in each thread; one-dimensional.
Kernel<PointerChase> pointer_chase(int chains);
/// Cooperative launches only.
Kernel<GridExchange> grid_exchange();
Kernel<> empty();

std::size_t staged_read_shared_bytes(int stages, unsigned threads);
std::size_t warp_transpose_shared_bytes(bool padded, unsigned threads);

}  // namespace kernels

/// Work of a launch. Sums and outputs of one word for each block or thread are left out.
namespace work {

using cuda::KernelWork;

KernelWork stream(StreamKind kind, const WordStream& s);
KernelWork triad(const TriadStream& s);
/// Which vectors are read depends on `threads`, the size of a block.
KernelWork mix(int reads, const WordStream& s, unsigned threads);
/// Wavefronts of the timed loop, for `threads` in the whole grid (full warps).
KernelWork shared_read(int word_bytes, const SharedRead& s, std::uint64_t threads);
/// For matrices of whole tiles.
KernelWork transpose(bool padded, const Transpose& t);
KernelWork fma(Precision precision, const FmaChains& s, std::uint64_t threads);
/// Bytes of the sectors loaded (32 each): what DRAM and L2 deliver for one word.
KernelWork pointer_chase(int chains, const PointerChase& s, std::uint64_t threads);

}  // namespace work

}  // namespace hpclab::roofline::ceilings
