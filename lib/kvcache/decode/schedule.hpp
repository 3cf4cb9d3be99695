// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Which member (a thread, a block of a persistent grid) works on which tokens. A head of a sequence
// that several members share leaves partial results, which are merged.
#pragma once

#include <cstdint>
#include <vector>

namespace hpclab::kvcache::decode {

enum class Partition {
  even,     ///< every member gets the same number of tiles: sequences are cut where shares end
  sequence  ///< whole heads of sequences, the longest first to the member with the least to do
};

/// Tiles of one key-value head of one sequence.
struct Span {
  std::int32_t sequence = 0;
  std::int32_t kv_head = 0;
  std::int32_t first_tile = 0;
  std::int32_t tiles = 0;
  std::int32_t slot = 0;  ///< number of its partial result, counted over all members
};

/// Partial results of one head: slots first to first + count - 1, in order of tokens.
struct Merge {
  std::int32_t sequence = 0;
  std::int32_t kv_head = 0;
  std::int32_t first_slot = 0;
  std::int32_t slots = 0;
};

struct Schedule {
  std::vector<std::vector<Span>> members;
  std::vector<Merge> merges;  ///< one for each head of each sequence
  std::int32_t slots = 0;
};

/// `lengths` in tokens, tiles of `tile_tokens` tokens. The tiles of every head of every sequence
/// are given out once each.
Schedule make_schedule(const std::vector<std::int64_t>& lengths, int kv_heads, int tile_tokens,
                       int members, Partition partition);

}  // namespace hpclab::kvcache::decode
