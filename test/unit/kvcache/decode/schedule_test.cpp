// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/decode/schedule.hpp"

#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "kvcache/decode/parameters.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

using namespace hpclab;
using namespace hpclab::kvcache::decode;

TEST_CASE(
    "decode schedule: is every tile of every head given out once, in slots that merge in order?") {
  RandomStream random(1, "schedules");
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> lengths(1 + random.below(6));
    for (auto& length : lengths) length = static_cast<std::int64_t>(1 + random.below(400));
    const int heads = static_cast<int>(1 + random.below(4));
    const int members = static_cast<int>(1 + random.below(9));
    const auto partition = random.below(2) == 0 ? Partition::even : Partition::sequence;
    const Schedule schedule = make_schedule(lengths, heads, 16, members, partition);
    std::map<int, Span> by_slot;
    std::vector<std::int64_t> load;
    for (const auto& member : schedule.members) {
      load.push_back(0);
      for (const Span& span : member) {
        REQUIRE(span.tiles > 0);
        REQUIRE(by_slot.emplace(span.slot, span).second);
        load.back() += span.tiles;
      }
    }
    REQUIRE(static_cast<int>(by_slot.size()) == schedule.slots);
    std::set<std::pair<int, int>> merged;
    for (const Merge& merge : schedule.merges) {
      REQUIRE(merged.emplace(merge.sequence, merge.kv_head).second);
      int tile = 0;
      for (int i = 0; i < merge.slots; ++i) {
        const Span& span = by_slot.at(merge.first_slot + i);
        REQUIRE(span.sequence == merge.sequence);
        REQUIRE(span.kv_head == merge.kv_head);
        REQUIRE(span.first_tile == tile);
        tile += span.tiles;
      }
      REQUIRE(tile == (lengths[static_cast<std::size_t>(merge.sequence)] + 15) / 16);
    }
    REQUIRE(merged.size() == lengths.size() * static_cast<std::size_t>(heads));
    if (partition == Partition::even) {
      const auto [least, most] = std::minmax_element(load.begin(), load.end());
      REQUIRE(*most - *least <= 1);
    }
  }
}

TEST_CASE("decode: do lengths of every kind have the mean that was asked for?") {
  for (const Lengths kind : {Lengths::uniform, Lengths::ragged, Lengths::skewed}) {
    for (const std::int64_t batch : {1, 2, 7, 32}) {
      const auto lengths = make_lengths(kind, batch, 1000, 5);
      CHECK(*std::min_element(lengths.begin(), lengths.end()) >= 1);
      CHECK(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) == 1000 * batch);
    }
  }
}

TEST_CASE("decode: do block tables use every block of the pool once?") {
  const BlockTables tables = make_block_tables({1, 16, 17, 100}, 16, Placement::shuffled, 3);
  std::vector<int> seen(static_cast<std::size_t>(tables.pages), 0);
  for (const auto& table : tables.tables) {
    for (const int page : table) ++seen[static_cast<std::size_t>(page)];
  }
  CHECK(tables.pages == 1 + 1 + 2 + 7);
  CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
}

TEST_CASE("decode: does the declared work follow from rows and heads?") {
  Parameters p;
  // 2 x 128 bf16 numbers for each of 8 heads; 2 flops for each of 32 x 256 products.
  const DecodeWork work = work_of(attention_shape(p), {1000, 24});
  CHECK(work.kv_bytes == 1024.0 * 8 * 512);
  CHECK(work.flops == 1024.0 * 32 * 256 * 2);
  p.kv_dtype = CacheFormat::q8_0;
  CHECK(work_of(attention_shape(p), {1024}).kv_bytes == 1024.0 * 8 * 2 * (128 + 4 * 2));
  p.attention = AttentionKind::latent;
  p.kv_dtype = CacheFormat::bf16;
  CHECK(work_of(attention_shape(p), {1024}).kv_bytes == 1024.0 * 576 * 2);
}

TEST_CASE("decode: are shapes that no kernel has refused with the reason?") {
  Parameters p;
  p.kv_heads = 5;
  CHECK_THROWS_AS(attention_shape(p), CaseFailed);
  p.kv_heads = 8;
  p.head_dim = 80;
  p.kv_dtype = CacheFormat::q8_0;
  CHECK_THROWS_AS(attention_shape(p), CaseFailed);
  p.attention = AttentionKind::latent;
  CHECK_THROWS_AS(attention_shape(p), CaseFailed);
}
