// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/decode/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace hpclab::kvcache::decode {
namespace {

struct Head {
  std::int32_t sequence = 0;
  std::int32_t kv_head = 0;
  std::int32_t tiles = 0;
};

std::vector<Head> heads_of(const std::vector<std::int64_t>& lengths, int kv_heads,
                           int tile_tokens) {
  std::vector<Head> heads;
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    const auto tiles = static_cast<std::int32_t>((lengths[s] + tile_tokens - 1) / tile_tokens);
    for (int h = 0; h < kv_heads; ++h) heads.push_back({static_cast<std::int32_t>(s), h, tiles});
  }
  return heads;
}

// Member m takes tiles [m n / members, (m + 1) n / members) of all heads in a row.
void share_evenly(Schedule& schedule, const std::vector<Head>& heads) {
  std::int64_t all = 0;
  for (const Head& head : heads) all += head.tiles;
  const auto members = static_cast<std::int64_t>(schedule.members.size());
  std::int64_t given = 0;
  std::int64_t member = 0;
  for (const Head& head : heads) {
    Merge merge{head.sequence, head.kv_head, schedule.slots, 0};
    for (std::int32_t at = 0; at < head.tiles;) {
      while (given >= all * (member + 1) / members) ++member;
      const auto take = static_cast<std::int32_t>(
          std::min<std::int64_t>(head.tiles - at, all * (member + 1) / members - given));
      schedule.members[static_cast<std::size_t>(member)].push_back(
          {head.sequence, head.kv_head, at, take, schedule.slots++});
      ++merge.slots;
      at += take;
      given += take;
    }
    schedule.merges.push_back(merge);
  }
}

void give_whole(Schedule& schedule, const std::vector<Head>& heads) {
  std::vector<std::size_t> order(heads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return heads[a].tiles > heads[b].tiles; });
  std::vector<std::int64_t> load(schedule.members.size(), 0);
  for (const std::size_t i : order) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += heads[i].tiles;
    schedule.members[static_cast<std::size_t>(least - load.begin())].push_back(
        {heads[i].sequence, heads[i].kv_head, 0, heads[i].tiles, static_cast<std::int32_t>(i)});
  }
  for (const Head& head : heads)
    schedule.merges.push_back({head.sequence, head.kv_head, schedule.slots++, 1});
}

}  // namespace

Schedule make_schedule(const std::vector<std::int64_t>& lengths, int kv_heads, int tile_tokens,
                       int members, Partition partition) {
  Schedule schedule;
  schedule.members.resize(static_cast<std::size_t>(members));
  const std::vector<Head> heads = heads_of(lengths, kv_heads, tile_tokens);
  if (partition == Partition::even) {
    share_evenly(schedule, heads);
  } else {
    give_whole(schedule, heads);
  }
  return schedule;
}

}  // namespace hpclab::kvcache::decode
