// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/replay.hpp"

#include "core/error.hpp"
#include "kvcache/prefix/block_cache.hpp"
#include "kvcache/prefix/lru_stack.hpp"
#include "kvcache/prefix/optimal_cache.hpp"
#include "kvcache/prefix/radix_cache.hpp"
#include "kvcache/prefix/tier_account.hpp"
#include "kvcache/requests/read_ahead.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace hpclab::kvcache::prefix {
namespace {

// One pass: calls take(cacheable request) for each request in order, and expect(blocks) for the one
// that comes next where its blocks are known already.
template <class Take, class Expect>
void for_each_request(const Parameters& p, const Context& context, Replay& replay, Take take,
                      Expect expect) {
  requests::ChosenRequests chosen(p, context.seed);
  requests::ReadAhead source(chosen.source());
  requests::RequestCutter cutter(source.facts(), p.semantics, static_cast<std::uint64_t>(p.block));
  replay.block_tokens = cutter.block_tokens();
  std::uint64_t count = 0;
  requests::Request request, following;
  for (bool more = source.next(request); more; std::swap(request, following)) {
    if (++count % 1024 == 0) context.stop.throw_if_requested();
    more = source.next(following);
    if (more && cutter.keeps_ids()) expect(following.blocks);
    take(cutter.cut(request));
  }
  if (chosen.unsorted() && p.policy == Policy::ttl) {
    throw CaseFailed(
        "policy=ttl needs requests in the order of time, which these are not; "
        "order=time sorts them");
  }
  replay.notes = chosen.notes();
}

template <class Take>
void for_each_request(const Parameters& p, const Context& context, Replay& replay, Take take) {
  for_each_request(p, context, replay, take, [](const std::vector<std::uint64_t>&) {});
}

std::unique_ptr<BlockCache> make_cache(const Parameters& p, std::uint64_t capacity,
                                       const std::shared_ptr<const NextUses>& future) {
  if (p.semantics == Semantics::radix) {
    if (p.policy == Policy::ttl || p.policy == Policy::opt) {
      throw CaseFailed("semantics=radix evicts whole edges: policies lru, lfu and fifo");
    }
    return std::make_unique<RadixCache>(capacity, p.policy == Policy::lfu ? RadixCache::Order::lfu
                                                  : p.policy == Policy::fifo
                                                      ? RadixCache::Order::fifo
                                                      : RadixCache::Order::lru);
  }
  switch (p.policy) {
    case Policy::lfu:
      return std::make_unique<LfuCache>(capacity);
    case Policy::fifo:
      return std::make_unique<FifoCache>(capacity);
    case Policy::opt:
      return std::make_unique<OptimalCache>(capacity, future);
    case Policy::ttl:
      return std::make_unique<LruCache>(capacity, p.ttl_s);
    case Policy::lru:
      break;
  }
  return std::make_unique<LruCache>(capacity);
}

struct Contestant {
  std::uint64_t capacity;
  std::unique_ptr<BlockCache> cache;
  HitCount hits;
};

}  // namespace

std::vector<std::uint64_t> capacity_ladder(std::uint64_t from, std::uint64_t end) {
  std::vector<std::uint64_t> ladder;
  for (std::uint64_t decade = from; decade < end; decade *= 10) {
    for (const std::uint64_t step : {1, 2, 5}) {
      if (step * decade < end) ladder.push_back(step * decade);
    }
  }
  return ladder;
}

Replay replay_lru(const Parameters& p, const Context& context, HitCurve& curve_out) {
  Replay replay;
  LruStack stack(static_cast<std::size_t>(p.track_blocks));
  const TierAccount account(p);
  HitCount tier_hits;
  for_each_request(
      p, context, replay,
      [&](const CacheableRequest& request) {
        const auto distances = stack.access(request.blocks);
        curve_out.add(request, distances);
        if (p.tiers == Tiers::offload) {
          tier_hits.add(request, account.use(request, distances, replay.tiers));
        }
      },
      [&](const std::vector<std::uint64_t>& blocks) { stack.expect(blocks); });
  curve_out.finish();
  replay.demand = curve_out.demand();
  const auto capacity = static_cast<std::uint64_t>(p.capacity_blocks);
  const HitCount hits = p.tiers == Tiers::offload ? tier_hits
                        : capacity == 0           ? curve_out.unlimited()
                                                  : curve_out.at(capacity);
  replay.ratios = hits.over(replay.demand);
  replay.peak_blocks =
      capacity == 0 ? stack.size() : std::min<std::uint64_t>(capacity, stack.size());
  if (!stack.has_forgotten()) replay.distinct_blocks = stack.size();
  if (stack.has_forgotten()) {
    if (capacity > static_cast<std::uint64_t>(p.track_blocks)) {
      throw CaseFailed(
          fmt::format("capacity_blocks = {} is above track_blocks = {}, the blocks "
                      "remembered; raise track_blocks",
                      capacity, p.track_blocks));
    }
    replay.notes.push_back(fmt::format(
        "the trace has more than track_blocks = {} different blocks: hit ratios of larger "
        "capacities are unknown, and no limit means this one",
        p.track_blocks));
  }
  return replay;
}

Replay replay_policy(const Parameters& p, const Context& context) {
  Replay replay;
  const auto asked = static_cast<std::uint64_t>(p.capacity_blocks);
  const auto most = static_cast<std::uint64_t>(p.track_blocks);
  auto future = std::make_shared<NextUses>();
  std::vector<Contestant> contestants;
  // What is to come: for the optimum the touches themselves, for a ladder how high it goes.
  if (p.policy == Policy::opt || asked == 0) {
    for_each_request(p, context, replay,
                     [&](const CacheableRequest& request) { future->add(request); });
    replay.distinct_blocks = future->distinct();
    future->finish(p.policy == Policy::opt);
  }
  if (asked == 0) {
    for (const std::uint64_t capacity :
         capacity_ladder(10, std::min(replay.distinct_blocks, most))) {
      contestants.push_back({capacity, make_cache(p, capacity, future), {}});
    }
    const std::uint64_t top = std::max<std::uint64_t>(1, std::min(replay.distinct_blocks, most));
    contestants.push_back({top, make_cache(p, top, future), {}});
  } else {
    contestants.push_back({asked, make_cache(p, asked, future), {}});
  }
  for_each_request(p, context, replay, [&](const CacheableRequest& request) {
    replay.demand.add(request);
    for (Contestant& contestant : contestants) {
      contestant.hits.add(request, contestant.cache->serve(request));
    }
    replay.peak_blocks = std::max(replay.peak_blocks, contestants.back().cache->size());
  });
  for (const Contestant& contestant : contestants) {
    replay.curve.push_back({contestant.capacity, contestant.hits.over(replay.demand)});
  }
  replay.ratios = replay.curve.back().ratios;
  if (asked != 0) replay.curve.clear();
  if (asked == 0 && replay.distinct_blocks > most) {
    replay.notes.push_back(
        fmt::format("the trace has {} different blocks: no limit means track_blocks = {} here",
                    replay.distinct_blocks, most));
  }
  return replay;
}

}  // namespace hpclab::kvcache::prefix
