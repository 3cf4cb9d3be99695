// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The kernels of the decode study, in both forms. Their work is that of work_of() in
// lib/kvcache/decode/attention_shape.hpp: cache rows and multiply-adds; a head's rows are read once
// for every block_queries of its queries, from L2 after the first time.
#pragma once

#include "cuda/core/launch.hpp"
#include "cuda/kvcache/decode/arguments.hpp"

namespace hpclab::kvcache::decode::kernels {

/// Rows of bf16 or fp16; key_dim and value_dim 128 and 128, or 576 and 512. Grid: the blocks of
/// span_begin, block_threads threads each. Throws UsageError for other sizes.
cuda::Kernel<SpanLaunch> span(bool bfloat, int key_dim, int value_dim);
/// One block of block_threads threads a merge.
cuda::Kernel<MergeLaunch> merge();
/// Any one-dimensional grid, up to 512 threads a block.
cuda::Kernel<ReadLaunch> read();

}  // namespace hpclab::kvcache::decode::kernels
