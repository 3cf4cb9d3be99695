// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A paged cache in memory, filled with random numbers, and its block tables. Elements can be read
// one by one, by their own arithmetic on the layout: the reference of every kernel reads them so.
#pragma once

#include "kvcache/decode/attention_shape.hpp"
#include "machine/memory.hpp"
#include "machine/thread_team.hpp"

#include <cstdint>
#include <vector>

namespace hpclab::kvcache::decode {

/// Where the pages of a sequence lie.
enum class Placement { ordered, shuffled };

/// Pages of each sequence: `tables[s][i]` holds its tokens i x page_tokens onwards. Every page of
/// the pool belongs to one sequence.
struct BlockTables {
  std::vector<std::vector<std::int32_t>> tables;
  std::int64_t pages = 0;
};
BlockTables make_block_tables(const std::vector<std::int64_t>& lengths, int page_tokens,
                              Placement placement, std::uint64_t seed);

class PagedCache {
 public:
  /// Every member of the team touches and fills its share. CaseFailed when memory does not suffice.
  PagedCache(const AttentionShape& shape, const std::vector<std::int64_t>& lengths,
             Placement placement, std::uint64_t seed, machine::ThreadTeam& team);

  const AttentionShape& shape() const { return shape_; }
  const std::vector<std::int64_t>& lengths() const { return lengths_; }
  const std::vector<std::int32_t>& table(int sequence) const {
    return tables_.tables[static_cast<std::size_t>(sequence)];
  }
  const std::byte* pool() const { return buffer_.data(); }
  std::size_t pool_bytes() const { return buffer_.size_bytes(); }

  double key(int sequence, int kv_head, std::int64_t token, int d) const;
  double value(int sequence, int kv_head, std::int64_t token, int d) const;

 private:
  const std::byte* tile(int sequence, int kv_head, std::int64_t token) const;

  AttentionShape shape_;
  std::vector<std::int64_t> lengths_;
  BlockTables tables_;
  machine::Buffer buffer_;
};

/// Random queries [sequence][query_head][key_dim]: bf16 numbers of magnitude 2 to 4.
std::vector<float> make_queries(const AttentionShape& shape, std::size_t sequences,
                                std::uint64_t seed);

}  // namespace hpclab::kvcache::decode
