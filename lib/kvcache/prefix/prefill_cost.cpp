// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/prefill_cost.hpp"

#include <algorithm>

namespace hpclab::kvcache::prefix {

double PrefillCost::flops(double begin, double end) const {
  const auto up_to = [&](double tokens) {
    return layers *
           (attention_factor * tokens * tokens * hidden + linear_factor * tokens * hidden * hidden);
  };
  return up_to(end) - up_to(begin);
}

double PrefillCost::bytes_per_token() const {
  return layers * 2 * hidden * element_bytes / gqa;
}

double PrefillCost::break_even_bytes_per_s(double prefix_tokens) const {
  return bytes_per_token() * prefix_tokens / seconds(0, prefix_tokens);
}

double PrefillCost::break_even_tokens(double bytes_per_s) const {
  // bytes_per_token p / B = layers (a p^2 d + b p d^2) / G, solved for p.
  const double flops_per_token = bytes_per_token() / bytes_per_s * flops_per_s / layers;
  return std::max(
      0., (flops_per_token - linear_factor * hidden * hidden) / (attention_factor * hidden));
}

PrefixUse use_of_prefix(const PrefillCost& cost, Transfer transfer, std::span<const TierRun> runs,
                        std::uint64_t input_tokens) {
  const auto input = static_cast<double>(input_tokens);
  PrefixUse best{0, 0, cost.seconds(0, input)};
  PrefixUse at = best;
  // Between two ends of runs, the time is concave in the tokens used (loading is linear, computing
  // them becomes dearer with each): the best prefix ends where a run does.
  for (const TierRun& run : runs) {
    if (transfer == Transfer::never && run.load_s_per_token > 0) break;
    at.used_tokens += run.tokens;
    at.load_s += static_cast<double>(run.tokens) * run.load_s_per_token;
    at.compute_s = cost.seconds(static_cast<double>(at.used_tokens), input);
    if (transfer != Transfer::cheaper || at.load_s + at.compute_s <= best.load_s + best.compute_s) {
      best = at;
    }
  }
  return best;
}

}  // namespace hpclab::kvcache::prefix
