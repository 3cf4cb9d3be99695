// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Replays the requests that the parameters choose through caches. Traces are read as a stream, once
// for least recently used, twice where the policy needs to know what is to come.
#pragma once

#include "kvcache/prefix/hit_curve.hpp"
#include "kvcache/prefix/parameters.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpclab::kvcache::prefix {

struct CapacityHits {
  std::uint64_t capacity = 0;  ///< blocks
  HitRatios ratios;
};

/// What lower tiers gave, and what it cost.
struct TierTotals {
  std::uint64_t gpu_tokens = 0;
  std::uint64_t cpu_tokens = 0;
  std::uint64_t ssd_tokens = 0;
  double load_s = 0;
  double compute_s = 0;           ///< of what was not used from a cache
  double compute_uncached_s = 0;  ///< of all input
};

struct Replay {
  Demand demand;
  std::uint64_t block_tokens = 0;
  std::uint64_t distinct_blocks = 0;  ///< 0: not counted
  HitRatios ratios;                   ///< at the capacity asked for
  std::vector<CapacityHits> curve;    ///< ascending; empty when one capacity was asked for
  std::uint64_t peak_blocks = 0;      ///< most blocks cached after a request
  TierTotals tiers;
  std::vector<std::string> notes;
};

/// Least recently used, all capacities. `curve_out` receives the whole curve.
Replay replay_lru(const Parameters& p, const Context& context, HitCurve& curve_out);

/// The other policies: the capacity asked for or, without one, a ladder of them.
Replay replay_policy(const Parameters& p, const Context& context);

/// 1, 2, 5, 10, ... times `from`, all below `end`.
std::vector<std::uint64_t> capacity_ladder(std::uint64_t from, std::uint64_t end);

}  // namespace hpclab::kvcache::prefix
