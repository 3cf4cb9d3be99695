// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Continuous batching with always somebody waiting: requests enter in order as the pool allows,
// each running sequence gains a token a step, and leaves with its last one. When a sequence cannot
// grow, the request admitted last is thrown out and computed again later (vLLM's preemption).
#pragma once

#include "core/stop_token.hpp"
#include "kvcache/policies/kv_allocator.hpp"

#include <cstdint>
#include <vector>

namespace hpclab::kvcache::policies {

struct BatchRequest {
  std::uint64_t prompt_tokens = 0;  ///< at least 1
  std::uint64_t output_tokens = 0;  ///< at least 1; the last one is never stored
  std::uint64_t reserved = 0;       ///< slots that a reserving allocator sets aside a sequence
  std::vector<std::uint64_t> prompt_blocks;

  /// Tokens that one sequence stores before its last one is computed.
  std::uint64_t final_tokens() const { return prompt_tokens + output_tokens - 1; }
};

/// Means over the steps in which somebody waited because the pool was full, after as many requests
/// had left as filled it first (over all such steps when fewer left); over all steps when it never
/// was. Slots in use are tokens + reserved + internal; with external they are the
/// pool.
struct BatchMeans {
  bool pool_was_full = false;
  std::uint64_t steps = 0;
  double sequences = 0;       ///< running
  double tokens = 0;          ///< slots that store a token
  double logical_tokens = 0;  ///< tokens of all sequences, shared ones counted for each
  double reserved = 0;        ///< slots that will store a token of their owner later
  double internal = 0;        ///< slots of somebody that never will
  double external = 0;        ///< slots of nobody
  std::uint64_t admitted = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t recomputed_tokens = 0;
  std::uint64_t rejected = 0;  ///< requests that do not fit even alone
};

struct BatchOptions {
  std::uint64_t samples = 1;
  std::uint64_t most_sequences = 0;  ///< running at once; 0: as many as fit
};

/// Deterministic. O(steps x running requests). Interrupted when `stop` asks.
BatchMeans run_batch(const std::vector<BatchRequest>& requests, KvAllocator& allocator,
                     const BatchOptions& options, const StopToken& stop);

}  // namespace hpclab::kvcache::policies
