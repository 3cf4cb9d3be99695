// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Paged decode attention as one launch takes it. Plain data, the same for processor, device and
// emulator.
//
// The cache: pages of [kv_head][page_tokens] rows of 16-bit numbers, keys in one pool and values in
// another; in latent attention values are the first elements of the key rows. Results are in two
// steps: every span leaves sums, largest score and total weight in its slot; merging brings the
// slots of a head together.
#pragma once

#include <cstdint>

namespace hpclab::kvcache::decode {

/// Queries that a block takes together: they share the loads of keys and values.
inline constexpr int block_queries = 4;
/// Tokens that a warp takes at a time, and of one tile of the schedule.
inline constexpr int warp_tokens = 4;
inline constexpr int gpu_tile_tokens = 16;
inline constexpr int block_threads = 128;

/// Tiles of one key-value head of a sequence for up to block_queries of its queries.
struct GpuSpan {
  std::int32_t sequence = 0;
  std::int32_t kv_head = 0;
  std::int32_t first_query = 0;  ///< query head
  std::int32_t queries = 0;
  std::int32_t first_token = 0;
  std::int32_t tokens = 0;
  std::int32_t slot = 0;
};

struct SpanLaunch {
  const std::uint32_t* keys = nullptr;        ///< pairs of 16-bit numbers
  const std::uint32_t* values = nullptr;      ///< the same pool as keys in latent attention
  const float* queries = nullptr;             ///< [sequence][query_head][key_dim]
  const std::int32_t* tables = nullptr;       ///< block tables one behind the other
  const std::int32_t* table_begin = nullptr;  ///< [sequence]
  const GpuSpan* spans = nullptr;
  const std::int32_t* span_begin = nullptr;  ///< [blocks + 1]: those of a block
  std::int32_t query_heads = 0;
  std::int32_t kv_heads = 0;
  std::int32_t page_tokens = 0;
  std::int32_t value_row_words = 0;  ///< 32-bit words from one value row to the next
  float scale = 1;                   ///< of scores, times log2 e
  float* sums = nullptr;             ///< [slot][block_queries][value_dim]
  float* maxima = nullptr;           ///< [slot][block_queries]
  float* totals = nullptr;
};

/// Slots of some queries of a sequence, and where the result goes.
struct GpuMerge {
  std::int32_t first_slot = 0;
  std::int32_t slots = 0;
  std::int32_t first_row = 0;  ///< sequence x query_heads + query head
  std::int32_t queries = 0;
};

struct MergeLaunch {
  const GpuMerge* merges = nullptr;  ///< one a block
  const float* sums = nullptr;
  const float* maxima = nullptr;
  const float* totals = nullptr;
  std::int32_t value_dim = 0;
  float* result = nullptr;  ///< [row][value_dim]
};

/// Reads `words` 32-bit words four at a time; each thread adds what it saw to its own sum.
struct ReadLaunch {
  const std::uint32_t* words = nullptr;
  std::uint64_t count = 0;        ///< a multiple of 4
  std::uint32_t* sums = nullptr;  ///< one a thread of the grid
};

}  // namespace hpclab::kvcache::decode
