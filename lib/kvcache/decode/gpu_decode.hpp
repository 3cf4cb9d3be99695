// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A decode step of one layer on a GPU or the emulator.
#pragma once

#include "cuda/core/buffer.hpp"
#include "cuda/core/runtime.hpp"
#include "cuda/kvcache/decode/arguments.hpp"
#include "kvcache/decode/paged_cache.hpp"
#include "kvcache/decode/schedule.hpp"

#include <cstdint>
#include <vector>

namespace hpclab::kvcache::decode {

class GpuDecode {
 public:
  /// Allocates the cache, fills it with random numbers and schedules `blocks` blocks. UsageError
  /// for shapes without a kernel (attention_shape.hpp: bf16 or fp16; 128, or 512 + 64).
  GpuDecode(cuda::Runtime& runtime, const AttentionShape& shape,
            const std::vector<std::int64_t>& lengths, Placement placement, Partition partition,
            int blocks, std::uint64_t seed);

  /// Puts a step on the stream: spans, then merges.
  void enqueue(cuda::StreamHandle stream);
  /// Puts a reading of the whole pool on it.
  void enqueue_read(cuda::StreamHandle stream);
  double pool_bytes() const;

  /// Largest error_ratio() over every query head of the last step; reads the pool back.
  double error(std::uint64_t& compared) const;
  static constexpr double tolerance = 2e-5;

 private:
  void schedule(Partition partition, int blocks);

  cuda::Runtime& runtime_;
  AttentionShape shape_;
  std::vector<std::int64_t> lengths_;
  BlockTables block_tables_;
  std::vector<float> queries_;
  int blocks_ = 0;
  int slots_ = 0;
  cuda::Buffer<std::uint32_t> keys_, values_;
  cuda::Buffer<float> queries_on_device_, sums_, maxima_, totals_, result_;
  cuda::Buffer<std::int32_t> tables_, table_begin_, span_begin_;
  cuda::Buffer<GpuSpan> spans_;
  cuda::Buffer<GpuMerge> merges_;
  cuda::Buffer<std::uint32_t> read_sums_;
};

/// Blocks that fill the GPU, or a few on the emulator.
int persistent_blocks(cuda::Runtime& runtime, const AttentionShape& shape);

}  // namespace hpclab::kvcache::decode
