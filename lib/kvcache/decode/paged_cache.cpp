// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/decode/paged_cache.hpp"

#include "core/random_stream.hpp"
#include "kvcache/decode/half.hpp"

#include <cstring>
#include <numeric>
#include <utility>

namespace hpclab::kvcache::decode {
namespace {

// splitmix64 of the index: 8 bytes at a time, the same however the pool is split.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// Random bits within a pattern: numbers of magnitude 1/2 to 1 with both signs.
struct Pattern {
  std::uint64_t random;
  std::uint64_t fixed;
};
Pattern pattern_of(CacheFormat format) {
  switch (format) {
    case CacheFormat::fp32:
      return {0x807fffff807fffffu, 0x3f0000003f000000u};
    case CacheFormat::fp16:
      return {0x83ff83ff83ff83ffu, 0x3800380038003800u};
    case CacheFormat::bf16:
      return {0x807f807f807f807fu, 0x3f003f003f003f00u};
    case CacheFormat::q8_0:
      break;
  }
  return {~std::uint64_t{0}, 0};
}
// Scales of 1/128 to 1/64, so that quantised numbers reach 1 to 2.
constexpr Pattern scale_pattern{0x03ff03ff03ff03ffu, 0x2000200020002000u};

void fill(std::byte* begin, std::size_t bytes, const Pattern& pattern, std::uint64_t seed) {
  for (std::size_t i = 0; i < bytes; i += 8) {
    const std::uint64_t word = (mixed(seed + i) & pattern.random) | pattern.fixed;
    std::memcpy(begin + i, &word, 8);
  }
}

void fill_part(std::byte* begin, CacheFormat format, int dim, std::uint64_t seed) {
  const std::size_t all = tile_part_bytes(format, dim);
  const std::size_t numbers =
      format == CacheFormat::q8_0 ? static_cast<std::size_t>(dim) * tile_tokens : all;
  fill(begin, numbers, pattern_of(format), seed);
  if (numbers < all) fill(begin + numbers, all - numbers, scale_pattern, seed + numbers);
}

std::uint16_t word_at(const std::byte* p, std::size_t index) {
  std::uint16_t x = 0;
  std::memcpy(&x, p + 2 * index, 2);
  return x;
}

// Element (row, column) of a part whose registers run over columns; `columns` of a row.
double element(const std::byte* part, CacheFormat format, std::size_t row, std::size_t column,
               std::size_t rows, std::size_t columns, std::size_t scale_index) {
  const std::size_t at = row * columns + column;
  switch (format) {
    case CacheFormat::fp32: {
      float x = 0;
      std::memcpy(&x, part + 4 * at, 4);
      return x;
    }
    case CacheFormat::fp16:
      return from_half(word_at(part, at));
    case CacheFormat::bf16:
      return from_bfloat(word_at(part, (row / 2 * columns + column) * 2 + row % 2));
    case CacheFormat::q8_0:
      return static_cast<signed char>(part[at]) *
             static_cast<double>(from_half(word_at(part + rows * columns, scale_index)));
  }
  return 0;
}

}  // namespace

BlockTables make_block_tables(const std::vector<std::int64_t>& lengths, int page_tokens,
                              Placement placement, std::uint64_t seed) {
  BlockTables result;
  for (const std::int64_t length : lengths)
    result.pages += (length + page_tokens - 1) / page_tokens;
  std::vector<std::int32_t> order(static_cast<std::size_t>(result.pages));
  std::iota(order.begin(), order.end(), 0);
  if (placement == Placement::shuffled) {
    RandomStream random(seed, "pages");
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  auto at = order.begin();
  for (const std::int64_t length : lengths) {
    const auto pages = (length + page_tokens - 1) / page_tokens;
    result.tables.emplace_back(at, at + pages);
    at += pages;
  }
  return result;
}

PagedCache::PagedCache(const AttentionShape& shape, const std::vector<std::int64_t>& lengths,
                       Placement placement, std::uint64_t seed, machine::ThreadTeam& team)
    : shape_(shape),
      lengths_(lengths),
      tables_(make_block_tables(lengths, shape.page_tokens, placement, seed)) {
  const std::size_t bytes = static_cast<std::size_t>(tables_.pages) * shape.page_bytes();
  machine::require_memory(bytes);
  buffer_ = machine::Buffer(bytes, machine::HugePages::advise);
  const std::size_t tile_bytes = shape.tile_bytes();
  const std::size_t tiles = bytes / tile_bytes;
  team.run([&](int member) {
    const machine::Share share = machine::share_of(tiles, member, team.size(), 64);
    for (std::size_t i = share.begin; i < share.end; ++i) {
      std::byte* const tile = buffer_.data() + i * tile_bytes;
      const std::uint64_t start = mixed(seed) + i * tile_bytes;
      fill_part(tile, shape_.format, shape_.key_dim, start);
      if (!shape_.latent) {
        const std::size_t keys = tile_part_bytes(shape_.format, shape_.key_dim);
        fill_part(tile + keys, shape_.format, shape_.value_dim, start + keys);
      }
    }
  });
}

const std::byte* PagedCache::tile(int sequence, int kv_head, std::int64_t token) const {
  const std::int64_t page = table(sequence)[static_cast<std::size_t>(token / shape_.page_tokens)];
  const int tiles_of_page = shape_.page_tokens / tile_tokens;
  const std::int64_t tile = kv_head * tiles_of_page + token % shape_.page_tokens / tile_tokens;
  return pool() + static_cast<std::size_t>(page) * shape_.page_bytes() +
         static_cast<std::size_t>(tile) * shape_.tile_bytes();
}

double PagedCache::key(int sequence, int kv_head, std::int64_t token, int d) const {
  const auto t = static_cast<std::size_t>(token % tile_tokens);
  const auto row = static_cast<std::size_t>(d);
  return element(tile(sequence, kv_head, token), shape_.format, row, t,
                 static_cast<std::size_t>(shape_.key_dim), tile_tokens,
                 row / scale_elements * tile_tokens + t);
}

double PagedCache::value(int sequence, int kv_head, std::int64_t token, int d) const {
  if (shape_.latent) return key(sequence, kv_head, token, d);
  const auto t = static_cast<std::size_t>(token % tile_tokens);
  const auto column = static_cast<std::size_t>(d);
  return element(tile(sequence, kv_head, token) + tile_part_bytes(shape_.format, shape_.key_dim),
                 shape_.format, t, column, tile_tokens, static_cast<std::size_t>(shape_.value_dim),
                 column / scale_elements * tile_tokens + t);
}

std::vector<float> make_queries(const AttentionShape& shape, std::size_t sequences,
                                std::uint64_t seed) {
  std::vector<float> queries(sequences * static_cast<std::size_t>(shape.query_heads) *
                             static_cast<std::size_t>(shape.key_dim));
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto bits = static_cast<std::uint16_t>((mixed(~seed + i) & 0x807fu) | 0x4000u);
    queries[i] = from_bfloat(bits);
  }
  return queries;
}

}  // namespace hpclab::kvcache::decode
