// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Tiers below the GPU's cache: what a tier evicts moves to the next one, what hits moves to the
// top. Under least recently used that is one stack, cut at the tiers' capacities.
#pragma once

#include "kvcache/prefix/parameters.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hpclab::kvcache::prefix {

struct TierTotals;

class TierAccount {
 public:
  /// CaseFailed when tiers are asked for below a cache without limit.
  explicit TierAccount(const Parameters& p);

  /// Books one request into `totals`; the blocks that it takes from the tiers. `distances`: stack
  /// distances of its leading blocks.
  std::uint64_t use(const requests::CacheableRequest& request,
                    std::span<const std::uint32_t> distances, TierTotals& totals) const;

 private:
  PrefillCost cost_;
  Transfer transfer_;
  std::uint64_t gpu_end_ = 0;  // largest stack distance in the GPU, and in the tiers below
  std::uint64_t cpu_end_ = 0;
  std::uint64_t ssd_end_ = 0;
  double cpu_s_per_token_ = 0;
  double ssd_s_per_token_ = 0;
};

}  // namespace hpclab::kvcache::prefix
