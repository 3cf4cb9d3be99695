// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/tier_account.hpp"

#include "core/error.hpp"
#include "kvcache/prefix/replay.hpp"

namespace hpclab::kvcache::prefix {

TierAccount::TierAccount(const Parameters& p)
    : cost_(prefill_cost(p)),
      transfer_(p.transfer),
      gpu_end_(static_cast<std::uint64_t>(p.capacity_blocks)),
      cpu_end_(gpu_end_ + static_cast<std::uint64_t>(p.cpu_blocks)),
      ssd_end_(cpu_end_ + static_cast<std::uint64_t>(p.ssd_blocks)),
      cpu_s_per_token_(cost_.bytes_per_token() / p.cpu_bytes_per_s),
      ssd_s_per_token_(cost_.bytes_per_token() / p.ssd_bytes_per_s) {
  if (p.tiers == Tiers::one) return;
  if (p.capacity_blocks == 0) {
    throw CaseFailed(
        "tiers below a cache without limit stay empty: give capacity_blocks, the blocks "
        "of the GPU");
  }
  if (ssd_end_ > static_cast<std::uint64_t>(p.track_blocks)) {
    throw CaseFailed("the tiers together hold more than track_blocks; raise it");
  }
}

std::uint64_t TierAccount::use(const requests::CacheableRequest& request,
                               std::span<const std::uint32_t> distances, TierTotals& totals) const {
  std::vector<TierRun> runs;
  std::uint64_t found = 0;
  const std::uint64_t most = request.hit_blocks(distances.size());
  while (found < most && distances[found] <= ssd_end_) {
    const std::uint64_t distance = distances[found];
    const double load_s_per_token = distance <= gpu_end_   ? 0
                                    : distance <= cpu_end_ ? cpu_s_per_token_
                                                           : ssd_s_per_token_;
    if (runs.empty() || runs.back().load_s_per_token != load_s_per_token) {
      runs.push_back({0, load_s_per_token});
    }
    runs.back().tokens += request.tokens(found + 1) - request.tokens(found);
    ++found;
  }
  const PrefixUse use = use_of_prefix(cost_, transfer_, runs, request.input_tokens);
  totals.load_s += use.load_s;
  totals.compute_s += use.compute_s;
  totals.compute_uncached_s += cost_.seconds(0, static_cast<double>(request.input_tokens));
  std::uint64_t used = 0;
  while (used < found && request.tokens(used + 1) <= use.used_tokens) {
    const std::uint64_t tokens = request.tokens(used + 1) - request.tokens(used);
    const std::uint64_t distance = distances[used++];
    (distance <= gpu_end_   ? totals.gpu_tokens
     : distance <= cpu_end_ ? totals.cpu_tokens
                            : totals.ssd_tokens) += tokens;
  }
  return used;
}

}  // namespace hpclab::kvcache::prefix
