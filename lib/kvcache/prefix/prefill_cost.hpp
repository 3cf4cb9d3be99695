// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Loading a cached prefix against computing it again: equation 2 of Qin et al., "Mooncake: trading
// more storage for less computation", FAST 2025. Prefill of p tokens costs layers (a p^2 d + b p
// d^2) operations; its keys and values are 2 p d s / gqa bytes a layer.
#pragma once

#include <cstdint>
#include <span>

namespace hpclab::kvcache::prefix {

/// What happens to blocks that are cached in a lower tier.
enum class Transfer {
  cheaper,  ///< loaded as far as that is faster than computing them again
  always,
  never
};

struct PrefillCost {
  double layers = 0;
  double hidden = 0;         ///< d
  double gqa = 0;            ///< query heads for one key-value head
  double element_bytes = 0;  ///< s
  double flops_per_s = 0;    ///< G

  static constexpr double attention_factor = 4;  ///< a
  static constexpr double linear_factor = 22;    ///< b

  /// Operations of the tokens from `begin` to `end` of one sequence.
  double flops(double begin, double end) const;
  double seconds(double begin, double end) const { return flops(begin, end) / flops_per_s; }
  double bytes_per_token() const;

  /// Bandwidth from which on loading the whole prefix is faster than computing it.
  double break_even_bytes_per_s(double prefix_tokens) const;
  /// Shortest prefix that is loaded faster than computed at this bandwidth; 0 when any is.
  double break_even_tokens(double bytes_per_s) const;
};

/// One run of tokens of a request's cached prefix that lies in one tier.
struct TierRun {
  std::uint64_t tokens = 0;
  double load_s_per_token = 0;  ///< 0 in the GPU's own memory
};

struct PrefixUse {
  std::uint64_t used_tokens = 0;  ///< of the cached prefix; the rest is computed
  double load_s = 0;
  double compute_s = 0;
};

/// How much of the cached prefix is used: all of it, only what lies in the GPU, or whatever prefix
/// makes loading plus computing shortest. `runs` in the order of the tokens; loading and computing
/// do not overlap.
PrefixUse use_of_prefix(const PrefillCost& cost, Transfer transfer, std::span<const TierRun> runs,
                        std::uint64_t input_tokens);

}  // namespace hpclab::kvcache::prefix
