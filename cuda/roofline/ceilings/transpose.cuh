// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Matrix transpose through tiles of 32 x 32 words in shared memory, by blocks or by single warps.
// Columns of an unpadded tile lie in one bank (32-way conflict); one word of padding frees them.
#pragma once

#include "cuda/core/port.cuh"
#include "cuda/roofline/ceilings/arguments.hpp"

namespace hpclab::roofline::ceilings {

namespace device = hpclab::cuda;

/// A block of 32 x transpose_block_rows threads takes tile after tile.
template <unsigned padding>
HPCLAB_KERNEL void block_transpose_kernel(Transpose t) {
  HPCLAB_SHARED(std::uint32_t, tile, [transpose_tile][transpose_tile + padding]);
  const unsigned x = device::thread_index().x;
  const unsigned tiles_across = (t.columns + transpose_tile - 1) / transpose_tile;
  const unsigned tiles_down = (t.rows + transpose_tile - 1) / transpose_tile;
  for (unsigned n = device::block_index().x; n < tiles_across * tiles_down;
       n += device::grid_size().x) {
    const unsigned row0 = n / tiles_across * transpose_tile;
    const unsigned column0 = n % tiles_across * transpose_tile;
    for (unsigned y = device::thread_index().y; y < transpose_tile; y += transpose_block_rows) {
      if (row0 + y < t.rows && column0 + x < t.columns) {
        tile[y][x] = t.in[std::uint64_t{row0 + y} * t.columns + column0 + x];
      }
    }
    device::sync_block();
    for (unsigned y = device::thread_index().y; y < transpose_tile; y += transpose_block_rows) {
      if (column0 + y < t.columns && row0 + x < t.rows) {
        t.out[std::uint64_t{column0 + y} * t.rows + row0 + x] = tile[x][y];
      }
    }
    device::sync_block();
  }
}

/// Every warp of a one-dimensional block has its own tile; dynamic shared memory holds one for
/// each.
template <unsigned padding>
HPCLAB_KERNEL void warp_transpose_kernel(Transpose t) {
  constexpr unsigned pitch = transpose_tile + padding;
  const unsigned lane = device::thread_index().x % 32;
  const unsigned warp = device::thread_index().x / 32;
  const unsigned warps = device::block_size().x / 32;
  auto* tile = device::dynamic_shared<std::uint32_t>() + warp * transpose_tile * pitch;
  const unsigned tiles_across = (t.columns + transpose_tile - 1) / transpose_tile;
  const unsigned tiles_down = (t.rows + transpose_tile - 1) / transpose_tile;
  for (unsigned n = device::block_index().x * warps + warp; n < tiles_across * tiles_down;
       n += device::grid_size().x * warps) {
    const unsigned row0 = n / tiles_across * transpose_tile;
    const unsigned column0 = n % tiles_across * transpose_tile;
    for (unsigned y = 0; y < transpose_tile; ++y) {
      if (row0 + y < t.rows && column0 + lane < t.columns) {
        tile[y * pitch + lane] = t.in[std::uint64_t{row0 + y} * t.columns + column0 + lane];
      }
    }
    device::sync_warp();
    for (unsigned y = 0; y < transpose_tile; ++y) {
      if (column0 + y < t.columns && row0 + lane < t.rows) {
        t.out[std::uint64_t{column0 + y} * t.rows + row0 + lane] = tile[lane * pitch + y];
      }
    }
    device::sync_warp();
  }
}

HPCLAB_TABLE auto block_transpose_body(bool padded) -> void (*)(Transpose) {
  return padded ? &block_transpose_kernel<1> : &block_transpose_kernel<0>;
}
HPCLAB_TABLE auto warp_transpose_body(bool padded) -> void (*)(Transpose) {
  return padded ? &warp_transpose_kernel<1> : &warp_transpose_kernel<0>;
}

}  // namespace hpclab::roofline::ceilings
